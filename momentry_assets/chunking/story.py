"""The story variant for media: sentences under story parents, never across a cut (source 000).

Children are sentences rebuilt from the recogniser's segments by punctuation (by pauses where a
transcript has none), neighbouring sentences of one speaker packed up to the child's limit.
A parent holds `children_per_parent` of them and never reaches over a cut when cuts exist.
"""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

from momentry_assets.chunking.drafts import ChildDraft, ParentDraft
from momentry_assets.chunking.ids import Ordinals, clock
from momentry_assets.chunking.scenes import assign_scenes
from momentry_assets.chunking.spans import Ruler, Span, pack, split
from momentry_assets.model import Document, Segment, SegmentKind
from momentry_assets.sentences import has_punctuation, sentence_starts
from momentry_assets.settings import ChunkingSettings

SPEECH = (SegmentKind.SENTENCE, SegmentKind.DETECTION)


@dataclass(frozen=True, slots=True)
class _Piece:
    """A child in the making: a span and the segments it touches."""

    span: Span
    segments: tuple[Segment, ...]


def chunk_story(document: Document, settings: ChunkingSettings, ruler: Ruler) -> list[ParentDraft]:
    """Both levels of a media document. Segments must be in order of their start in the text."""
    groups: list[tuple[str, list[_Piece]]] = []
    for run in spoken_runs(document):
        pieces = _pieces(document, run, settings, ruler)
        name = f"run@{clock(run[0].start_ms or 0)}"
        groups.extend((name, story) for story in _stories(pieces, settings, ruler))
    return _drafts(document, groups)


def spoken_runs(document: Document) -> list[list[Segment]]:
    """The spoken segments of a media document, divided where a cut lies between them."""
    spoken = [segment for segment in document.segments if _is_spoken(document, segment)]
    scenes = [segment for segment in document.segments if segment.kind is SegmentKind.SCENE]
    if not scenes:
        return [spoken] if spoken else []
    places = [assignment.scene for assignment in assign_scenes(spoken, scenes)]
    runs = groupby(zip(places, spoken, strict=True), key=lambda pair: pair[0])
    return [[segment for _, segment in run] for _, run in runs]


def _pieces(
    document: Document, run: Sequence[Segment], settings: ChunkingSettings, ruler: Ruler
) -> list[_Piece]:
    """The children of one run of segments without a cut inside."""
    pieces: list[_Piece] = []
    for segments in _turns(document, run):
        span = (segments[0].start, segments[-1].end)
        sentences = _sentences(document, segments, settings)
        borders = [span[0], *sentences, span[1]]
        atoms: list[Span] = []
        for atom in pairwise(borders):
            atoms.extend(split(ruler, atom))
        for packed in pack(ruler, atoms):
            trimmed = ruler.trimmed(packed)
            if trimmed[0] < trimmed[1]:
                pieces.append(_Piece(trimmed, _touched(segments, trimmed)))
    return _without_crumbs(pieces, settings, ruler)


def _is_spoken(document: Document, segment: Segment) -> bool:
    text = segment.search_text or document.slice(segment)
    return segment.kind in SPEECH and bool(text.strip())


def _turns(document: Document, run: Sequence[Segment]) -> list[list[Segment]]:
    """Neighbouring segments of one speaker with nothing between them that is not matched.

    A sound or the rounds of a recogniser's loop between two segments has no child; a child over
    it would match it and have times that are not its own.
    """
    turns: list[list[Segment]] = []
    for segment in run:
        if turns:
            before = turns[-1][-1]
            same = (before.speaker, before.kind) == (segment.speaker, segment.kind)
            if same and not document.text[before.end : segment.start].strip():
                turns[-1].append(segment)
                continue
        turns.append([segment])
    return turns


def _sentences(
    document: Document, segments: Sequence[Segment], settings: ChunkingSettings
) -> list[int]:
    start, end = segments[0].start, segments[-1].end
    if has_punctuation(document.slice_span((start, end))):
        return sentence_starts(document.text, start, end)
    return [
        after.start
        for before, after in pairwise(segments)
        if (after.start_ms or 0) - (before.end_ms or 0) >= settings.sentence_pause_ms
    ]


def _touched(segments: Sequence[Segment], span: Span) -> tuple[Segment, ...]:
    first = max(0, bisect_right(segments, span[0], key=lambda segment: segment.start) - 1)
    touched: list[Segment] = []
    for segment in segments[first:]:
        if segment.start >= span[1]:
            break
        if segment.end > span[0]:
            touched.append(segment)
    return tuple(touched)


def _without_crumbs(pieces: list[_Piece], settings: ChunkingSettings, ruler: Ruler) -> list[_Piece]:
    """Join a piece shorter than the minimum ("Yeah.") to a neighbour of the same run if it fits."""
    kept: list[_Piece] = []
    for piece in pieces:
        if kept:
            joined = (kept[-1].span[0], piece.span[1])
            shorter = min(kept[-1].span[1] - kept[-1].span[0], piece.span[1] - piece.span[0])
            if shorter < settings.child_min_characters and ruler.fits(joined):
                segments = tuple(dict.fromkeys((*kept[-1].segments, *piece.segments)))
                kept[-1] = _Piece(joined, segments)
                continue
        kept.append(piece)
    return kept


def _stories(
    pieces: Sequence[_Piece], settings: ChunkingSettings, ruler: Ruler
) -> list[list[_Piece]]:
    stories: list[list[_Piece]] = []
    for piece in pieces:
        if stories and len(stories[-1]) < settings.children_per_parent:
            joined = (stories[-1][0].span[0], piece.span[1])
            if ruler.tokens(joined) <= settings.parent_max_tokens:
                stories[-1].append(piece)
                continue
        stories.append([piece])
    return stories


def _drafts(
    document: Document, stories: Sequence[tuple[str, Sequence[_Piece]]]
) -> list[ParentDraft]:
    if not stories:
        return []
    ordinals = Ordinals()
    starts = [0, *(story[0].span[0] for _, story in stories[1:])]
    ends = [*starts[1:], len(document.text)]
    drafts: list[ParentDraft] = []
    for (run, story), start, end in zip(stories, starts, ends, strict=True):
        children = tuple(
            ChildDraft(
                structure=ordinals.unique(f"{_type(piece)}@{clock(_start_ms(piece))}"),
                chunk_type=_type(piece),
                span=piece.span,
                segments=piece.segments,
                search_text=_search_text(document, piece),
            )
            for piece in story
        )
        drafts.append(
            ParentDraft(
                structure=ordinals.unique(f"story@{clock(_start_ms(story[0]))}"),
                chunk_type="story",
                span=(start, end),
                section_id=run,
                section_hierarchy=(),
                children=children,
            )
        )
    return drafts


def _start_ms(piece: _Piece) -> int:
    return min(segment.start_ms or 0 for segment in piece.segments)


def _type(piece: _Piece) -> str:
    first = piece.segments[0]
    return first.label or first.kind.value if first.kind is SegmentKind.DETECTION else "sentence"


def _search_text(document: Document, piece: _Piece) -> str:
    """Without a recogniser's repetitions; empty when the slice itself is what to match."""
    if not any(segment.search_text for segment in piece.segments):
        return ""
    start, end = piece.span
    texts: list[str] = []
    for segment in piece.segments:
        # Only what of the segment lies in the piece: a long one reaches over many.
        inside = document.text[max(start, segment.start) : min(end, segment.end)]
        texts.append(min(segment.search_text or inside, inside, key=len).strip())
    return " ".join(text for text in texts if text)
