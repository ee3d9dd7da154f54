"""Bytes to text and back: encodings, byte order marks, newlines, characters no store can hold.

Every reader of a text format goes through `decode`, so that the canonical text is made in one
place: decoded, byte order mark off, newlines as LF, NUL and lone surrogates gone.
"""

import codecs
import re
import unicodedata
from dataclasses import dataclass
from typing import Literal

from momentry_assets.model import SourceWarning

Newline = Literal["\n", "\r\n", "\r", "mixed"]

# Longest first: the UTF-32 little-endian mark begins with the UTF-16 one.
_MARKS: tuple[tuple[bytes, str], ...] = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_MARK_OF = {encoding: mark for mark, encoding in _MARKS}

# A guess is made from the beginning of the file: charset-normalizer takes seconds on megabytes.
_HINT_BYTES = 64 * 1024
_WIDE_SAMPLE_BYTES = 64 * 1024

# Encodings taken from the hint, each as the widest relative Python knows, and the range of
# letters that must come out. Latin code pages are missing on purpose: there the hint is wrong
# more often than cp1252 is (it calls Windows-1252 texts cp1250 and cp1256).
_CJK = (
    r"[\u2010-\u203b\u2460-\u24ff\u2500-\u25ff\u3000-\u9fff"
    r"\uac00-\ud7a3\uf900-\ufaff\uff00-\uffef]"
)
_CYRILLIC = r"[\u0400-\u052f]"
_HINTED: dict[str, tuple[str, str]] = {
    "gb2312": ("gb18030", _CJK),
    "gbk": ("gb18030", _CJK),
    "gb18030": ("gb18030", _CJK),
    "hz": ("hz", _CJK),
    "big5": ("cp950", _CJK),
    "big5hkscs": ("big5hkscs", _CJK),
    "cp950": ("cp950", _CJK),
    "shift_jis": ("cp932", _CJK),
    "shift_jis_2004": ("cp932", _CJK),
    "shift_jisx0213": ("cp932", _CJK),
    "cp932": ("cp932", _CJK),
    "euc_jp": ("euc_jp", _CJK),
    "euc_jis_2004": ("euc_jis_2004", _CJK),
    "euc_jisx0213": ("euc_jisx0213", _CJK),
    "euc_kr": ("cp949", _CJK),
    "cp949": ("cp949", _CJK),
    "johab": ("johab", _CJK),
    "cp1251": ("cp1251", _CYRILLIC),
    "koi8_r": ("koi8_r", _CYRILLIC),
    "koi8_u": ("koi8_u", _CYRILLIC),
    "cp866": ("cp866", _CYRILLIC),
    "cp1125": ("cp1125", _CYRILLIC),
    "mac_cyrillic": ("mac_cyrillic", _CYRILLIC),
    "iso8859_5": ("iso8859_5", _CYRILLIC),
    "cp1253": ("cp1253", r"[\u0370-\u03ff]"),
    "iso8859_7": ("iso8859_7", r"[\u0370-\u03ff]"),
    "cp1255": ("cp1255", r"[\u0590-\u05ff]"),
    "iso8859_8": ("cp1255", r"[\u0590-\u05ff]"),
    "cp1256": ("cp1256", r"[\u0600-\u06ff]"),
    "iso8859_6": ("iso8859_6", r"[\u0600-\u06ff]"),
    "tis_620": ("cp874", r"[\u0e00-\u0e7f]"),
    "cp874": ("cp874", r"[\u0e00-\u0e7f]"),
}

_VISIBLE = re.compile("[^\\s\x00-\x1f\x7f\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]")
_BLANK = re.compile(rb"[ \r\n]")
_HIGH = re.compile(rb"[\x80-\xff]")
_HEBREW_LETTER = re.compile(rb"[\xe0-\xfa]")
_NOT_IN_HEBREW = re.compile(rb"[\xc0-\xdf\xfb-\xff]")
_HIGH_RUN = re.compile(rb"[\x80-\xff]{2,}")
_NOT_ASCII = re.compile(r"[^\x00-\x7f]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_BINARY_CONTROL = re.compile("[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")


@dataclass(frozen=True, slots=True)
class DecodedText:
    """The canonical text of a file and what is needed to write the file again.

    Attributes:
        text: canonical text, newlines as LF, without byte order mark, NUL and lone surrogates.
        encoding: Python's name of the encoding that was used.
        byte_order_mark: True when the file began with one.
        newline: the newline of the file; ``"mixed"`` when it has more than one kind.
        warnings: what was guessed or repaired.
    """

    text: str
    encoding: str
    byte_order_mark: bool
    newline: Newline
    warnings: tuple[SourceWarning, ...] = ()


def decode(raw: bytes, *, declared: str = "") -> DecodedText:
    """Decode a file into canonical text; never raises.

    The order is: byte order mark, strict UTF-8, UTF-16 or UTF-32 by the pattern of its NUL
    bytes, the encoding the file itself declares, UTF-8 with lines in another encoding, UTF-8 with
    single damaged bytes, charset-normalizer's guess when the script is not Latin, Windows-1252.
    Everything after strict UTF-8 is a guess and leaves a warning; a byte without a meaning
    becomes U+FFFD.

    Args:
        raw: the whole file.
        declared: an encoding named inside the file (HTML's ``<meta charset>``), if any.
    """
    warnings: list[SourceWarning] = []
    text, encoding, marked = _decode_bytes(raw, declared, warnings)
    text = _storable(text, warnings)
    text, newline = _newlines(text)
    return DecodedText(text, encoding, marked, newline, tuple(warnings))


def encode(decoded: DecodedText) -> bytes:
    """Write the file again: the exact input when its newlines are of one kind and nothing was lost.

    Lost means a warning of `decode` about removed or replaced characters; with mixed newlines
    the result has LF.
    """
    text = decoded.text
    if decoded.newline in ("\r\n", "\r"):
        text = text.replace("\n", decoded.newline)
    mark = _MARK_OF.get(decoded.encoding, b"") if decoded.byte_order_mark else b""
    return mark + text.encode(decoded.encoding, "replace")


def clean(text: str) -> str:
    """A string from JSON or a file name made safe for PostgreSQL, Parquet and Qdrant.

    NUL and the other C0 controls except tab and newline are removed without a space
    (PostgreSQL's text cannot hold NUL), newlines become LF, a surrogate pair written as two
    escapes becomes one character and a lone surrogate U+FFFD.
    """
    if _SURROGATE.search(text):
        text = _join_surrogates(text)
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return _CONTROL.sub("", text)


def looks_binary(text: str) -> bool:
    """True when a decoded file is no text: more than one character in fifty is a control."""
    sample = text[:_HINT_BYTES]
    return len(_BINARY_CONTROL.findall(sample)) * 50 > len(sample)


def is_blank(text: str) -> bool:
    """True when nothing in a text can be seen: white space, zero-width and direction marks."""
    return _VISIBLE.search(text) is None


def _decode_bytes(
    raw: bytes, declared: str, warnings: list[SourceWarning]
) -> tuple[str, str, bool]:
    for mark, encoding in _MARKS:
        if raw.startswith(mark):
            return _decode_leniently(raw[len(mark) :], encoding, warnings), encoding, True

    as_utf8 = _strictly(raw, "utf-8")
    if wide := _wide_encoding(raw, as_utf8):
        warnings.append(_guess(wide, "there is no byte order mark, but the NUL bytes lie so"))
        return _decode_leniently(raw, wide, warnings), wide, False
    if as_utf8 is not None:
        return as_utf8, "utf-8", False

    if (paired := _with_surrogates(raw)) is not None:
        warnings.append(
            SourceWarning("file", "surrogates written as UTF-8 were joined or replaced", "text")
        )
        return paired, "utf-8", False
    named = _declared_encoding(declared)
    if named and (text := _strictly(raw, named)) is not None:
        warnings.append(_guess(named, "the file is not UTF-8 and names this encoding itself"))
        return text, named, False
    if (mixed := _mixed_lines(raw, warnings)) is not None:
        return mixed, "utf-8", False
    if _is_damaged_utf8(raw):
        return _decode_leniently(raw, "utf-8", warnings), "utf-8", False

    hinted = _hinted_encoding(raw)
    if hinted and (text := _strictly(raw, hinted)) is not None:
        warnings.append(_guess(hinted, "the file is not UTF-8 and has no byte order mark"))
        return text, hinted, False

    warnings.append(_guess("cp1252", "the file is not UTF-8 and has no byte order mark"))
    return _decode_leniently(raw, "cp1252", warnings), "cp1252", False


def _strictly(raw: bytes, encoding: str) -> str | None:
    try:
        return raw.decode(encoding)
    except (UnicodeDecodeError, LookupError):
        return None


def _decode_leniently(raw: bytes, encoding: str, warnings: list[SourceWarning]) -> str:
    text = _strictly(raw, encoding)
    if text is not None:
        return text
    paired = _with_surrogates(raw) if encoding == "utf-8" else None
    text = raw.decode(encoding, "replace") if paired is None else paired
    count = text.count("\ufffd")
    warnings.append(
        SourceWarning(
            place="file",
            message=f"{count} byte sequence(s) without a meaning in {encoding} became U+FFFD",
            field="text",
        )
    )
    return text


def _with_surrogates(raw: bytes) -> str | None:
    """UTF-8 with surrogates in it (CESU-8, WTF-8): one character each, not three wrong bytes."""
    try:
        return _join_surrogates(raw.decode("utf-8", "surrogatepass"))
    except UnicodeDecodeError:
        return None


def _guess(encoding: str, reason: str) -> SourceWarning:
    return SourceWarning(
        place="file", message=f"encoding guessed as {encoding}: {reason}", field="encoding"
    )


def _wide_encoding(raw: bytes, as_utf8: str | None) -> str:
    """UTF-16 or UTF-32 without a mark, or empty when the NUL bytes do not lie like that."""
    sample = raw[:_WIDE_SAMPLE_BYTES]
    if len(sample) < 4 or 0 not in sample:
        return ""
    # A stray NUL in UTF-8 makes no UTF-16; there every blank and every letter of a script
    # below U+2000 has a half that reads as a control character. Padding at the end is none.
    narrow = (as_utf8 or "")[:_WIDE_SAMPLE_BYTES].rstrip("\0")
    if as_utf8 is not None and (
        len(_BINARY_CONTROL.findall(narrow)) * 20 < len(narrow) or _blanks_stand_alone(sample)
    ):
        return ""
    candidates = ("utf-32-le", "utf-32-be") if len(raw) % 4 == 0 else ()
    halves = {
        "utf-16-le": _ascii_characters(sample[0::2], sample[1::2]),
        "utf-16-be": _ascii_characters(sample[1::2], sample[0::2]),
    }
    for encoding in (*candidates, max(halves, key=halves.__getitem__)):
        text = sample.decode(encoding, "ignore")
        if len(text) >= 2 and _is_plausible(text, len(sample) // (4 if "32" in encoding else 2)):
            return encoding
    return ""


def _blanks_stand_alone(sample: bytes) -> bool:
    """True when most blanks and newlines have no NUL beside them, as every one has in UTF-16."""
    blanks = [match.start() for match in _BLANK.finditer(sample)]
    paired = sum(1 for at in blanks if 0 in (sample[at - 1 : at] + sample[at + 1 : at + 2]))
    return paired * 2 < len(blanks)


def _ascii_characters(low: bytes, high: bytes) -> int:
    return sum(1 for a, b in zip(low, high, strict=False) if b == 0 and (a >= 32 or a in b"\t\n\r"))


def _is_plausible(text: str, expected: int) -> bool:
    """Text, not other bytes read in pairs: hardly a control, private or unassigned character."""
    sample = text[:4096]
    odd = sum(1 for character in sample if unicodedata.category(character) in ("Cn", "Co", "Cs"))
    odd += len(_BINARY_CONTROL.findall(sample))
    return odd * 50 <= len(sample) and len(text) * 50 >= expected * 49


def _declared_encoding(declared: str) -> str:
    try:
        name = codecs.lookup(declared.strip()).name if declared.strip() else ""
    except (LookupError, ValueError):
        return ""
    # WHATWG Encoding: the labels ascii and iso-8859-1 mean windows-1252.
    return "cp1252" if name in ("ascii", "iso8859-1") else name


def _mixed_lines(raw: bytes, warnings: list[SourceWarning]) -> str | None:
    """UTF-8 to which another program added lines in its own encoding; None when it is not that.

    At least as many lines are UTF-8 with letters beyond ASCII as are none at all. Those, taken
    together, have hardly a right UTF-8 sequence, and another encoding fits all of them.
    """
    lines = raw.split(b"\n")
    texts = [_strictly(line, "utf-8") for line in lines]
    others = [position for position, text in enumerate(texts) if text is None]
    if sum(1 for text in texts if text and not text.isascii()) < len(others):
        return None
    encoding = _encoding_of_added(b"\n".join(lines[position] for position in others))
    for position in others:
        texts[position] = _strictly(lines[position], encoding) if encoding else None
        if texts[position] is None:
            return None
    message = f"{len(others)} line(s) that are no UTF-8 were read as {encoding}"
    original = ascii(lines[others[0]][:40])
    warnings.append(SourceWarning(f"line {others[0] + 1}", message, "encoding", original))
    return "\n".join(text or "" for text in texts)


def _encoding_of_added(raw: bytes) -> str:
    right, wrong = _utf8_sequences(raw)
    if right < wrong and (hinted := _hinted_encoding(raw)):
        return hinted
    # In Latin text letters with accents stand alone or in pairs.
    is_latin = not right and all(len(run) <= 2 for run in _HIGH_RUN.findall(raw))
    return "cp1252" if is_latin else ""


def _is_damaged_utf8(raw: bytes) -> bool:
    """UTF-8 with few wrong bytes: eight right sequences to each wrong one cannot be chance."""
    right, wrong = _utf8_sequences(raw)
    return right >= 8 * wrong


def _utf8_sequences(raw: bytes) -> tuple[int, int]:
    """How many sequences beyond ASCII are right UTF-8, and how many are wrong."""
    text = raw.decode("utf-8", "replace")
    wrong = text.count("\ufffd")
    return len(text) - len(text.encode("ascii", "ignore")) - wrong, wrong


def _hinted_encoding(raw: bytes) -> str:
    sample = raw[:_HINT_BYTES]
    high = len(_HIGH.findall(sample))
    in_runs = sum(len(run) for run in _HIGH_RUN.findall(sample))
    # Latin letters with accents stand alone; letters of other scripts stand side by side.
    if in_runs * 2 <= high:
        return ""
    # charset-normalizer takes Hebrew for Cyrillic; without any of these bytes it is none.
    letters = len(_HEBREW_LETTER.findall(sample))
    if letters >= 12 and letters * 20 >= high * 19 and not _NOT_IN_HEBREW.search(sample):
        return "cp1255"
    # 0.1 s at import; needed for one file in thousands.
    from charset_normalizer import from_bytes

    best = from_bytes(sample).best()
    if best is None:
        return ""
    encoding, script = _HINTED.get(best.encoding, ("", ""))
    if not encoding:
        return ""
    foreign = _NOT_ASCII.findall(sample.decode(encoding, "ignore"))
    fitting = sum(1 for character in foreign if re.match(script, character))
    return encoding if foreign and fitting * 10 >= len(foreign) * 8 else ""


def _join_surrogates(text: str) -> str:
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _storable(text: str, warnings: list[SourceWarning]) -> str:
    if _SURROGATE.search(text):
        text = _join_surrogates(text)
    nuls = text.count("\0")
    if nuls:
        text = text.replace("\0", "")
        warnings.append(
            SourceWarning(place="file", message=f"{nuls} NUL character(s) removed", field="text")
        )
    stripped = text.lstrip("\ufeff")
    if len(stripped) < len(text):
        warnings.append(
            SourceWarning(
                place="file",
                message=f"{len(text) - len(stripped)} further byte order mark(s) removed",
                field="text",
            )
        )
    return stripped


def _newlines(text: str) -> tuple[str, Newline]:
    if "\r" not in text:
        return text, "\n"
    pairs = text.count("\r\n")
    returns = text.count("\r") - pairs
    feeds = text.count("\n") - pairs
    newline: Newline = "mixed"
    if not returns and not feeds:
        newline = "\r\n"
    elif not pairs and not feeds:
        newline = "\r"
    return text.replace("\r\n", "\n").replace("\r", "\n"), newline
