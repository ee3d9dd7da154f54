"""The corpus on disk: which files are documents, of which collection, and which are not and why.

Collections are the top folders of the corpus. Nothing is left out in silence: every file that is
not read is in `Walk.skipped` with its reason.
"""

import hashlib
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from momentry_assets.errors import SourceError
from momentry_assets.sources.reader import storable_name
from momentry_assets.sources.registry import KNOWN_SUFFIXES, MEDIA_SUFFIXES

# PySceneDetect names its list after the video: talk.mp4 gives talk-Scenes.csv.
_SCENES = re.compile(r"(.+)-scenes\.csv", re.IGNORECASE | re.DOTALL)
# yt-dlp puts the language before the extension: talk.en-GB.vtt belongs to talk.
_LANGUAGE_PART = re.compile(r"\.[A-Za-z]{2,3}(?:-[A-Za-z0-9]{1,8})*")

_PLAIN_KEY = re.compile(r"[a-z0-9](?:[a-z0-9_-]|\.(?!\.)){0,62}(?<!\.)")
_HASHED_KEY = re.compile(r".*-[0-9a-f]{12}")
_SLUG_LENGTH = 60


@dataclass(frozen=True, slots=True)
class Entry:
    """One file that is a document.

    Attributes:
        collection: the top folder it lies below, as it is named on disk.
        path: path below the corpus with ``/``, the collection included; as it is on disk, so it
            may hold bytes that no store takes (`storable_name`).
        file: where to read it.
        companions: files that belong to it, by name.
    """

    collection: str
    path: str
    file: Path
    companions: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True)
class Skipped:
    """One file or folder that is no document, and why. The path can be printed and stored."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class Walk:
    """What is below a corpus folder, both lists sorted by path.

    Attributes:
        collections: the top folders, empty ones included.
    """

    collections: tuple[str, ...]
    entries: tuple[Entry, ...]
    skipped: tuple[Skipped, ...]


def partition_key(collection: str) -> str:
    """A partition key of a collection: ``[A-Za-z0-9._-]``, at most 120 characters, never ``...``.

    A short safe name in lower case is its own key. Any other name gets a slug and twelve digits
    of its SHA-256, so that names that differ in case, in Unicode normalisation or only in
    characters a key cannot hold have different keys. Dagster refuses ``...`` and newlines in
    static keys and checks nothing in dynamic ones, hence one function for all.
    """
    if _PLAIN_KEY.fullmatch(collection) and not _HASHED_KEY.fullmatch(collection):
        return collection
    digest = hashlib.sha256(collection.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    ascii_only = unicodedata.normalize("NFKD", collection).encode("ascii", "ignore").decode()
    slug = re.sub(r"[^a-z0-9]+", "-", ascii_only.lower())[:_SLUG_LENGTH].strip("-")
    return f"{slug or 'collection'}-{digest}"


def walk(corpus: Path) -> Walk:
    """Everything below a corpus folder, sorted; reads no file's content.

    Symbolic links are followed inside the corpus. A link that leaves the corpus, leads to a
    folder it lies in, or lies inside a folder that was itself reached through a link is skipped.

    Raises:
        SourceError: when the corpus folder does not exist.
    """
    if not corpus.is_dir():
        raise SourceError(storable_name(str(corpus)), "the corpus folder does not exist")
    skipped: list[Skipped] = []
    by_folder: defaultdict[str, list[tuple[str, Path]]] = defaultdict(list)
    collections: list[str] = []
    for path, file in _files(corpus, skipped, collections):
        by_folder[str(PurePosixPath(path).parent)].append((path, file))
    entries: list[Entry] = []
    for files in by_folder.values():
        entries.extend(_entries(files, skipped))
    return Walk(
        collections=tuple(sorted(collections)),
        entries=tuple(sorted(entries, key=lambda entry: entry.path)),
        skipped=tuple(sorted(skipped, key=lambda item: item.path)),
    )


def _files(
    corpus: Path, skipped: list[Skipped], collections: list[str]
) -> Iterator[tuple[str, Path]]:
    """Regular files as (path below the corpus, file); fills the two lists on the way."""
    root = corpus.resolve()
    # Folder, path below the corpus, whether a link led here.
    waiting: list[tuple[Path, str, bool]] = [(corpus, "", False)]
    while waiting:
        folder, below, linked = waiting.pop()
        try:
            names = sorted(item.name for item in folder.iterdir())
        except OSError as error:
            skipped.append(_skip(below, f"the folder cannot be read: {error.strerror}"))
            continue
        for name in names:
            path, item = f"{below}/{name}" if below else name, folder / name
            reason = _reason_to_skip(item, root, linked)
            if reason:
                skipped.append(_skip(path, reason))
            elif item.is_dir():
                if not below:
                    collections.append(name)
                waiting.append((item, path, linked or item.is_symlink()))
            elif not below:
                skipped.append(_skip(path, "lies in no collection: move it into a folder"))
            else:
                yield path, item


def _reason_to_skip(item: Path, root: Path, linked: bool) -> str:
    if item.name.startswith("."):
        return "hidden"
    if item.name.startswith("~$"):
        return "the lock of an open Office document"
    try:
        if item.is_symlink():
            # strict: a link to nothing and a link to itself raise.
            target = item.resolve(strict=True)
            if target != root and root not in target.parents:
                return "symbolic link that leaves the corpus"
            if target.is_dir():
                here = item.parent.resolve()
                if target == here or target in here.parents:
                    return "symbolic link to a folder it lies in (a ring)"
                if linked:
                    return "symbolic link inside a linked folder"
        if not item.is_dir() and not item.is_file():
            return "neither a file nor a folder"
    except (OSError, RuntimeError) as error:
        # Python 3.11 and 3.12 raise RuntimeError for a ring of links, later ones OSError.
        return f"cannot be reached: {getattr(error, 'strerror', None) or error}"
    return ""


def _entries(files: list[tuple[str, Path]], skipped: list[Skipped]) -> Iterator[Entry]:
    """The documents of one folder, scene lists tied to the media they belong to."""
    scenes: list[tuple[str, str, Path]] = []
    documents: list[tuple[str, Path]] = []
    for path, file in files:
        suffix = PurePosixPath(path).suffix.lower()
        if match := _SCENES.fullmatch(file.name):
            scenes.append((match[1], path, file))
        elif not suffix:
            skipped.append(_skip(path, "no extension"))
        elif suffix not in KNOWN_SUFFIXES:
            skipped.append(_skip(path, f"unknown extension {storable_name(suffix)}"))
        else:
            documents.append((path, file))
    used: set[str] = set()
    for path, file in documents:
        found = [scene for scene in scenes if _belongs(file.stem, scene[0])]
        # One system writes é as one code point and another as two: as good as the same name.
        found = found or [scene for scene in scenes if _belongs(_nfc(file.stem), _nfc(scene[0]))]
        if file.suffix.lower() not in MEDIA_SUFFIXES:
            found = []
        used.update(scene_path for _, scene_path, _ in found)
        companions = tuple(scene_file for _, _, scene_file in found)
        yield Entry(path.split("/", 1)[0], path, file, companions)
    for stem, path, _ in scenes:
        if path not in used:
            stem = storable_name(stem)
            skipped.append(_skip(path, f"scene list without a media file {stem!r} beside it"))


def _belongs(file_stem: str, stem: str) -> bool:
    return file_stem == stem or (
        file_stem.startswith(stem) and bool(_LANGUAGE_PART.fullmatch(file_stem, len(stem)))
    )


def _nfc(name: str) -> str:
    return unicodedata.normalize("NFC", name)


def _skip(path: str, reason: str) -> Skipped:
    return Skipped(storable_name(path), reason)
