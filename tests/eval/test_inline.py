"""The histogram that the Dagster UI shows without a click."""

import base64
from xml.etree import ElementTree

from momentry_eval.lengths import BIN_STARTS, ParentLengths, distribution
from momentry_eval.report.inline import lengths_inline
from momentry_eval.report.markdown import SUMMARY_LIMIT


def _drawing(markdown: str) -> ElementTree.Element:
    encoded = markdown.split("base64,")[1].removesuffix(")")
    return ElementTree.fromstring(base64.b64decode(encoded))


def test_the_histogram_is_inline_even_when_every_bin_is_tall() -> None:
    every_bin = distribution("parents", [(start + 1, 4) for start in BIN_STARTS for _ in range(9)])
    markdown = lengths_inline(ParentLengths(every_bin, None, every_bin))
    assert len(markdown) < SUMMARY_LIMIT
    drawing = _drawing(markdown)
    bars = [path.attrib["d"].count("M") for path in drawing if path.tag.endswith("path")]
    assert bars == [len(BIN_STARTS), len(BIN_STARTS)]
    labels = [text.text for text in drawing if text.tag.endswith("text")]
    assert labels == [str(start) for start in BIN_STARTS]


def test_bars_are_as_high_as_the_shares() -> None:
    built = distribution("parents", [(50, 1), (150, 1), (150, 1)])
    [path] = [one for one in _drawing(lengths_inline(ParentLengths(built))) if "d" in one.attrib]
    assert path.attrib["d"] == "M10 90v-45M46 90v-90"


def test_without_parents_there_is_an_empty_histogram() -> None:
    assert _drawing(lengths_inline(ParentLengths(distribution("parents", [])))) is not None
