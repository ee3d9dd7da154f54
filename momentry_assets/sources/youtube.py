"""YouTube transcripts: youtube-transcript-api's JSON and YouTube's own json3.

Sources: jdepoix/youtube-transcript-api ``_transcripts.py`` and ``formatters.py`` (its command
line writes a list of lists, one for each video), YouTube's ``fmt=json3``. A duration is the time
a caption stays on the screen, often past the next start, so ends are cut to the next start.
"""

from collections.abc import Mapping

from momentry_assets.model import Document, DocumentKind, SourceWarning
from momentry_assets.sources.json_values import (
    SNIFFED_ENTRIES,
    as_list,
    as_mapping,
    as_text,
    mappings,
    metadata_of,
)
from momentry_assets.sources.languages import language_code
from momentry_assets.sources.media_text import decode_entities, one_line, unstorable
from momentry_assets.sources.reader import SourceFile
from momentry_assets.sources.timeline import Transcript, Utterance, build_document
from momentry_assets.sources.times import NO_MOMENT, Moment, moment, original_of

# A whole transcript object, as `FetchedTranscript` is dumped, and older scrapers' name for it.
_SNIPPET_KEYS = ("snippets", "transcript")
_DURATION_KEYS = ("duration", "dur")


class YoutubeReader:
    """``[{text, start, duration}]`` in seconds, alone, in a list of one video, or as an object."""

    name = "youtube"
    kind = DocumentKind.MEDIA
    suffixes = (".json",)

    def sniff(self, source: SourceFile) -> bool:
        """True when snippets with text, start and duration are found."""
        return _videos(source.json_value) is not None

    def read(self, source: SourceFile) -> Document:
        """Read the transcript of one video.

        Raises:
            SourceError: when the file holds no snippets, or those of more than one video.
        """
        videos = _videos(source.json_value)
        if videos is None:
            raise source.error("no list of {text, start, duration}", reader=self.name)
        spoken = [video for video in videos if video]
        if len(spoken) > 1:
            reason = (
                f"the file holds the transcripts of {len(spoken)} videos, and a document has one "
                "timeline: write one file for each video"
            )
            raise source.error(reason, reader=self.name, place="list")
        warnings: list[SourceWarning] = []
        utterances: list[Utterance] = []
        for position, value in enumerate(spoken[0] if spoken else []):
            entry = as_mapping(value)
            if entry is None:
                message = "no snippet: left out"
                warnings.append(
                    SourceWarning(f"snippet {position + 1}", message, "", original_of(value))
                )
            else:
                utterances.append(_snippet(entry, position))
                warnings.extend(unstorable(as_text(entry.get("text")), utterances[-1].place))
        top = as_mapping(source.json_value) or {}
        code = language_code(top.get("language_code"))
        transcript = Transcript(
            document_type=self.name,
            utterances=utterances,
            language=code if code != "und" else language_code(top.get("language")),
            metadata=metadata_of(top, without=frozenset(_SNIPPET_KEYS)),
            warnings=warnings,
            cut_overlaps=True,
        )
        return build_document(source, transcript, reader=self.name)


class Json3Reader:
    """YouTube's json3: ``{events: [{tStartMs, dDurationMs, segs: [{utf8, tOffsetMs}]}]}``."""

    name = "json3"
    kind = DocumentKind.MEDIA
    suffixes = (".json", ".json3")

    def sniff(self, source: SourceFile) -> bool:
        """True when there are events with ``tStartMs``."""
        top = as_mapping(source.json_value)
        if top is None or as_list(top.get("events")) is None:
            return False
        events = mappings(top["events"])[:SNIFFED_ENTRIES]
        return top.get("wireMagic") == "pb3" or any("tStartMs" in event for event in events)

    def read(self, source: SourceFile) -> Document:
        """Read the captions.

        Raises:
            SourceError: when the file holds no list of events.
        """
        top = as_mapping(source.json_value)
        events = as_list(top.get("events")) if top else None
        if top is None or events is None:
            raise source.error("no list of events", reader=self.name, place="events")
        utterances: list[Utterance] = []
        warnings: list[SourceWarning] = []
        for position, value in enumerate(events):
            entry = as_mapping(value)
            if entry is None:
                place = f"events[{position}]"
                warnings.append(SourceWarning(place, "no event: left out", "", original_of(value)))
            # Events without segs open a window on the screen and have no text.
            elif as_list(entry.get("segs")):
                utterances.append(_event(entry, position))
        transcript = Transcript(
            document_type=self.name,
            # Auto-generated captions have an event with one newline after each line.
            utterances=[item for item in utterances if item.text],
            metadata=metadata_of(top, without=frozenset({"events"})),
            warnings=warnings,
            cut_overlaps=True,
        )
        return build_document(source, transcript, reader=self.name)


YOUTUBE_READERS = (YoutubeReader(), Json3Reader())


def caption_text(text: str) -> str:
    """A caption on one line; entities are decoded twice, since YouTube escapes some twice."""
    return one_line(decode_entities(decode_entities(text)), collapse=True)


def _videos(value: object) -> list[list[object]] | None:
    """The snippet lists of a file, one for each video; None when it is no such file."""
    top = as_mapping(value)
    if top is not None:
        for key in _SNIPPET_KEYS:
            snippets = as_list(top.get(key))
            if snippets is not None and (not snippets or _are_snippets(snippets)):
                return [snippets]
        return None
    entries = as_list(value)
    if not entries:
        return None
    if _are_snippets(entries):
        return [entries]
    # The command line's list of lists, and a list of dumped transcripts.
    videos: list[list[object]] = []
    for entry in entries:
        inner = as_list(entry)
        if inner is None:
            found = _videos(entry) if as_mapping(entry) is not None else None
            inner = found[0] if found else None
        if inner is None or (inner and not _are_snippets(inner)):
            return None
        videos.append(inner)
    return videos


def _are_snippets(entries: list[object]) -> bool:
    return any(
        "text" in entry and "start" in entry and not entry.keys().isdisjoint(_DURATION_KEYS)
        for entry in mappings(entries[:SNIFFED_ENTRIES])
    )


def _snippet(entry: Mapping[str, object], position: int) -> Utterance:
    start = moment(entry["start"]) if "start" in entry else NO_MOMENT
    duration = next((moment(entry[key]) for key in _DURATION_KEYS if key in entry), NO_MOMENT)
    return Utterance(
        place=f"snippet {position + 1}",
        text=caption_text(as_text(entry.get("text"))),
        start=start,
        end=_end(start, duration),
    )


def _event(entry: Mapping[str, object], position: int) -> Utterance:
    start = moment(entry["tStartMs"], scale=1) if "tStartMs" in entry else NO_MOMENT
    duration = NO_MOMENT
    if "dDurationMs" in entry:
        duration = moment(entry["dDurationMs"], scale=1)
    text = "".join(as_text(part.get("utf8")) for part in mappings(entry.get("segs")))
    return Utterance(
        place=f"events[{position}]",
        text=caption_text(text),
        start=start,
        end=_end(start, duration),
        source_key=one_line(as_text(entry.get("id")))[:100],
    )


def _end(start: Moment, duration: Moment) -> Moment:
    if start.ms is None or duration.ms is None or duration.ms < 0:
        return Moment(None, duration.original)
    return Moment(start.ms + duration.ms, duration.original)
