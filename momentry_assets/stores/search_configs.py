"""Which of PostgreSQL's text-search configurations stems, and leaves out, words of a language.

Source: PostgreSQL 18, ``pg_ts_config``. Older servers have fewer of them.
"""

from collections.abc import Collection

ENGLISH = "english"
SIMPLE = "simple"

# Codes of ISO 639-1, then the configuration.
_OWN = """
ar arabic|hy armenian|eu basque|ca catalan|da danish|nl dutch|en english|et estonian|fi finnish
fr french|de german|el greek|hi hindi|hu hungarian|id indonesian|ga irish|it italian
lt lithuanian|ne nepali|no nb nn norwegian|pt portuguese|ro romanian|ru russian|sr serbian
es spanish|sv swedish|ta tamil|tr turkish|yi yiddish
"""
# Without a configuration and not in Latin letters, which the English one leaves as they are: it
# stems the English terms that stand among them.
_NOT_LATIN = """
am as ba be bg bn bo cv dv dz fa gu he ja ka kk km kn ko ks ky lo mk ml mn mr my or os pa ps sa
sd si te tg th ti tt ug uk ur zh
"""
# A text whose language nobody knows is most often short or code, and its corpus English. In
# another corpus English stems still find the same words, since a query gets them too.
_UNKNOWN = "und"

_CONFIGS = {
    **dict.fromkeys((_UNKNOWN, *_NOT_LATIN.split()), ENGLISH),
    **{
        code: words[-1]
        for words in (entry.split() for line in _OWN.splitlines() for entry in line.split("|"))
        for code in words[:-1]
    },
}


def search_config(language: str, known: Collection[str]) -> str:
    """The configuration for a language.

    Args:
        language: ISO 639-1 code or ``und``.
        known: the configurations that the server has.

    Returns:
        The language's own; ``english`` for unknown languages and for scripts that it leaves
        alone; otherwise ``simple``, which neither stems nor leaves out.
    """
    config = _CONFIGS.get(language, SIMPLE)
    return config if config in known else SIMPLE
