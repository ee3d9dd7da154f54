"""Decoding: one canonical text whatever the bytes are, and back again."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from momentry_assets.sources.text import clean, decode, encode, looks_binary

LATIN = "“Two loaves,” she said — €4 each. A piñata for the fête, naïve Zoë.\n"
RUSSIAN = "Насос надо смазывать каждый месяц.\nВторая строка 12.\n" * 3
CHINESE = "水泵每个月要加一次油。\n第二行有 english 单词。\n" * 3
JAPANESE = "ポンプは毎月油を差してください。\n二行目です。\n" * 3
KOREAN = "펌프는 매달 기름칠을 해야 합니다.\n둘째 줄입니다.\n" * 3
HEBREW = "יש לשמן את המשאבה מדי חודש.\n" * 4


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (LATIN, "cp1252"),
        (LATIN, "utf-8"),
        (LATIN, "utf-8-sig"),
        (LATIN, "utf-16"),
        (LATIN, "utf-16-le"),
        (LATIN, "utf-16-be"),
        (LATIN, "utf-32"),
        (LATIN, "utf-32-le"),
        (RUSSIAN, "cp1251"),
        (RUSSIAN, "koi8-r"),
        (RUSSIAN, "utf-16-le"),
        (RUSSIAN, "utf-16-be"),
        (CHINESE, "gb18030"),
        (CHINESE, "utf-16-le"),
        (CHINESE, "utf-16-be"),
        (JAPANESE, "shift_jis"),
        (JAPANESE, "euc_jp"),
        (KOREAN, "euc_kr"),
        (HEBREW, "cp1255"),
    ],
)
def test_text_is_the_same_in_every_encoding_and_comes_back_as_the_same_bytes(
    text: str, encoding: str
) -> None:
    raw = text.encode(encoding)
    decoded = decode(raw)
    assert decoded.text == text
    assert encode(decoded) == raw


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16-le", "utf-16-be"])
def test_decoding_is_lossless_for_newlines_and_byte_order_marks(
    newline: str, mark: str, encoding: str
) -> None:
    lines = ".NET ¾ naïve ¿Qué? 《x》", "", "```", "\tcode\u00a0x", "```", ""
    raw = (mark + newline.join(lines)).encode(encoding)
    decoded = decode(raw)
    assert decoded.text == "\n".join(lines)
    assert decoded.newline == newline
    assert decoded.byte_order_mark is bool(mark)
    assert encode(decoded) == raw


def test_a_guess_leaves_a_warning_and_utf8_leaves_none() -> None:
    assert decode(LATIN.encode()).warnings == ()
    (warning,) = decode(LATIN.encode("cp1252")).warnings
    assert warning.field == "encoding"
    assert "cp1252" in warning.message


def test_mixed_newlines_become_lf_and_are_named_mixed() -> None:
    decoded = decode(b"a\r\nb\nc\rd")
    assert (decoded.text, decoded.newline) == ("a\nb\nc\nd", "mixed")


def test_one_damaged_byte_does_not_turn_utf8_into_another_encoding() -> None:
    raw = CHINESE.encode() + b"\xff" + CHINESE.encode()
    decoded = decode(raw)
    assert decoded.encoding == "utf-8"
    assert decoded.text == f"{CHINESE}\ufffd{CHINESE}"
    assert "1 byte" in decoded.warnings[0].message


def test_surrogates_written_as_utf8_are_joined_or_replaced() -> None:
    raw = "a \ud83d\ude80 b \ud83d c 国国国国国国国国国".encode("utf-8", "surrogatepass")
    assert decode(raw).text == "a 🚀 b \ufffd c 国国国国国国国国国"


def test_utf16_cut_in_the_middle_of_a_character_loses_only_that_character() -> None:
    assert decode("\ufeffHello".encode("utf-16-le") + b"x").text == "Hello\ufffd"


def test_nul_is_removed_with_a_warning_and_is_no_sign_of_utf16() -> None:
    decoded = decode("Lift\0off in three, Zoë.".encode())
    assert decoded.text == "Liftoff in three, Zoë."
    assert decoded.encoding == "utf-8"
    assert "NUL" in decoded.warnings[0].message
    assert decode(b"log line\n" + b"\0" * 1000).text == "log line\n"


@pytest.mark.parametrize(
    "text", ["# A\0B\n\ntext\0\n", "\0a b\n", "a\0 b c d e\n", "x\0\ny z\nw\n"]
)
def test_stray_nuls_in_a_short_file_are_no_sign_of_utf16_either(text: str) -> None:
    decoded = decode(text.encode())
    assert (decoded.encoding, decoded.text) == ("utf-8", text.replace("\0", ""))


@pytest.mark.parametrize(
    "text", ["Ab cd\n", "水。\nポンプ\n", "かな かな\n", "Насос 12\n", "שלום\n"]
)
@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_a_short_file_in_utf16_without_a_mark_is_read(text: str, encoding: str) -> None:
    assert decode(text.encode(encoding)).text == text


def test_lines_in_windows_1252_at_the_end_of_utf8_are_read_as_they_were_written() -> None:
    added = "Später: “naïve” — 4 €\nCafé\n"
    decoded = decode(f"{LATIN}{CHINESE}{LATIN}".encode() + added.encode("cp1252"))
    assert decoded.text == f"{LATIN}{CHINESE}{LATIN}{added}"
    assert decoded.encoding == "utf-8"
    (warning,) = decoded.warnings
    assert (warning.place, warning.field) == ("line 9", "encoding")
    assert "2 line(s)" in warning.message


@pytest.mark.parametrize(
    ("text", "encoding"), [(RUSSIAN, "cp1251"), (CHINESE, "gb18030"), (JAPANESE, "shift_jis")]
)
def test_lines_of_another_script_at_the_end_of_utf8_are_read_too(text: str, encoding: str) -> None:
    assert decode(text.encode() + text.encode(encoding)).text == text + text


def test_damaged_bytes_in_lines_of_utf8_stay_damaged_bytes() -> None:
    raw = f"{CHINESE}naïve, ".encode() + b"\xe6\xb0\n"
    assert decode(raw).text == f"{CHINESE}naïve, \ufffd\n"


def test_a_declared_encoding_is_used_when_the_bytes_are_no_utf8() -> None:
    raw = "Za\u017c\u00f3\u0142\u0107 g\u0119\u015bl\u0105".encode("iso-8859-2")
    assert decode(raw, declared="iso-8859-2").text == "Zażółć gęślą"
    assert decode(b"caf\xe9 \x93q\x94", declared="ISO-8859-1").text == "café “q”"
    assert decode(b"caf\xe9", declared="no such thing").text == "café"


def test_clean_keeps_text_and_removes_what_no_store_can_hold() -> None:
    assert clean("Lift\0off") == "Liftoff"
    assert clean("half \ud83d here") == "half \ufffd here"
    assert clean("pair \ud83d\ude80 here") == "pair 🚀 here"
    assert clean("tab\there\r\nand\rbell\x07 del\x7f") == "tab\there\nand\nbell del"
    assert clean("naïve 《x》 \u00a0 مرحبا") == "naïve 《x》 \u00a0 مرحبا"


def test_binary_content_is_told_from_text() -> None:
    assert looks_binary(decode(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 8).text)
    assert not looks_binary(decode(CHINESE.encode("gb18030")).text)
    assert not looks_binary("")


@given(st.binary(max_size=400))
@settings(max_examples=200, deadline=None)
def test_decoding_never_raises_and_gives_storable_text(raw: bytes) -> None:
    decoded = decode(raw)
    decoded.text.encode("utf-8")
    assert "\0" not in decoded.text
    assert "\r" not in decoded.text
    encode(decoded)


@given(st.text(st.characters(exclude_characters="\0\r\ufeff", exclude_categories=["Cs"])))
@settings(max_examples=200, deadline=None)
def test_utf8_text_with_one_kind_of_newline_is_restored_byte_for_byte(text: str) -> None:
    for newline in ("\n", "\r\n", "\r"):
        raw = text.replace("\n", newline).encode()
        decoded = decode(raw)
        if decoded.encoding == "utf-8":
            assert decoded.text == text
            assert encode(decoded) == raw
