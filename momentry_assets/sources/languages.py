"""Names and codes of languages as media formats write them, to ISO 639-1.

Source: ISO 639-1 and 639-2 (registration authority: Library of Congress), and the names of
openai-whisper's tokenizer, which writes ``"english"`` into some outputs and ``"en"`` into others.
"""

from functools import cache

UNKNOWN = "und"

# Two letters, three letters (terminology, then bibliographic code where it differs), names.
_TABLE = """
aa aar afar|ab abk abkhazian|ae ave avestan|af afr afrikaans|ak aka akan|am amh amharic
an arg aragonese|ar ara arabic|as asm assamese|av ava avaric|ay aym aymara|az aze azerbaijani
ba bak bashkir|be bel belarusian|bg bul bulgarian|bi bis bislama|bm bam bambara|bn ben bengali
bo bod tib tibetan|br bre breton|bs bos bosnian|ca cat catalan valencian|ce che chechen
ch cha chamorro|co cos corsican|cr cre cree|cs ces cze czech|cv chv chuvash|cy cym wel welsh
da dan danish|de deu ger german|dv div divehi maldivian|dz dzo dzongkha|ee ewe|el ell gre greek
en eng english|eo epo esperanto|es spa spanish castilian|et est estonian|eu eus baq basque
fa fas per persian farsi|ff ful fulah|fi fin finnish|fj fij fijian|fo fao faroese
fr fra fre french|fy fry frisian|ga gle irish|gd gla gaelic|gl glg galician|gn grn guarani
gu guj gujarati|gv glv manx|ha hau hausa|he heb iw hebrew|hi hin hindi|hr hrv croatian
ht hat haitian|hu hun hungarian|hy hye arm armenian|hz her herero|ia ina interlingua
id ind in indonesian|ie ile interlingue|ig ibo igbo|ii iii|ik ipk inupiaq|io ido
is isl ice icelandic|it ita italian|iu iku inuktitut|ja jpn japanese|jv jav jw javanese
ka kat geo georgian|kg kon kongo|ki kik kikuyu|kj kua kuanyama|kk kaz kazakh|kl kal kalaallisut
km khm khmer|kn kan kannada|ko kor korean|kr kau kanuri|ks kas kashmiri|ku kur kurdish
kv kom komi|kw cor cornish|ky kir kirghiz kyrgyz|la lat latin|lb ltz luxembourgish letzeburgesch
lg lug ganda|li lim limburgish|ln lin lingala|lo lao|lt lit lithuanian|lu lub|lv lav latvian
mg mlg malagasy|mh mah marshallese|mi mri mao maori|mk mkd mac macedonian|ml mal malayalam
mn mon mongolian|mr mar marathi|ms msa may malay|mt mlt maltese|my mya bur myanmar burmese
na nau nauru|nb nob bokmal|nd nde|ne nep nepali|ng ndo ndonga|nl nld dut dutch flemish
nn nno nynorsk|no nor norwegian|nr nbl|nv nav navajo|ny nya chichewa|oc oci occitan
oj oji ojibwa|om orm oromo|or ori oriya|os oss ossetian|pa pan punjabi panjabi|pi pli pali
pl pol polish|ps pus pashto pushto|pt por portuguese|qu que quechua|rm roh romansh|rn run rundi
ro ron rum romanian moldavian moldovan|ru rus russian|rw kin kinyarwanda|sa san sanskrit
sc srd sardinian|sd snd sindhi|se sme|sg sag sango|si sin sinhala sinhalese|sk slk slo slovak
sl slv slovenian slovene|sm smo samoan|sn sna shona|so som somali|sq sqi alb albanian
sr srp serbian|ss ssw swati|st sot sotho|su sun sundanese|sv swe swedish|sw swa swahili
ta tam tamil|te tel telugu|tg tgk tajik|th tha thai|ti tir tigrinya|tk tuk turkmen
tl tgl tagalog filipino fil|tn tsn tswana|to ton tonga|tr tur turkish|ts tso tsonga|tt tat tatar
tw twi|ty tah tahitian|ug uig uighur uyghur|uk ukr ukrainian|ur urd urdu|uz uzb uzbek|ve ven venda
vi vie vietnamese|vo vol volapuk|wa wln walloon|wo wol wolof|xh xho xhosa|yi yid ji yiddish
yo yor yoruba|za zha zhuang|zh zho chi chinese mandarin cmn cantonese yue|zu zul zulu
"""


@cache
def _codes() -> dict[str, str]:
    rows = (entry.split() for line in _TABLE.splitlines() for entry in line.split("|"))
    return {word: row[0] for row in rows for word in row}


def language_code(value: object) -> str:
    """The ISO 639-1 code of a code (``"en"``, ``"eng"``, ``"en-US"``) or an English name.

    ``"und"`` for everything else, other types included.
    """
    if not isinstance(value, str):
        return UNKNOWN
    words = value.strip().lower().replace("_", "-").replace("(", "-").split("-")
    return _codes().get(words[0].strip(), UNKNOWN)
