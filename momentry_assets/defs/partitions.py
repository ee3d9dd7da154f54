"""The partition is the collection: one top folder of the corpus, at most 200 of them."""

from collections.abc import Mapping
from dataclasses import dataclass

import dagster as dg

from momentry_assets.errors import SettingsError
from momentry_assets.settings import Settings
from momentry_assets.sources.walk import Entry, Skipped, partition_key, walk

MAX_COLLECTIONS = 200
collections = dg.DynamicPartitionsDefinition(name="collections")


@dataclass(frozen=True, slots=True)
class Corpus:
    """The corpus by partition key."""

    names: Mapping[str, str]
    entries: Mapping[str, list[Entry]]
    skipped: tuple[Skipped, ...]


def read_corpus(settings: Settings) -> Corpus:
    """Walk the corpus folder.

    Raises:
        SettingsError: when there are more collections than Dagster can show.
    """
    walked = walk(settings.corpus)
    if len(walked.collections) > MAX_COLLECTIONS:
        raise SettingsError(
            f"{settings.corpus} has {len(walked.collections)} folders; at most {MAX_COLLECTIONS} "
            f"collections are supported: put related documents below one folder"
        )
    names = {partition_key(name): name for name in walked.collections}
    entries: dict[str, list[Entry]] = {key: [] for key in names}
    for entry in walked.entries:
        entries[partition_key(entry.collection)].append(entry)
    return Corpus(names, entries, walked.skipped)


def sync_partitions(instance: dg.DagsterInstance, corpus: Corpus) -> tuple[list[str], list[str]]:
    """Make Dagster's partition keys those of the corpus; returns (added, removed) keys."""
    known = set(instance.get_dynamic_partitions(str(collections.name)))
    added = sorted(corpus.names.keys() - known)
    removed = sorted(known - corpus.names.keys())
    if added:
        instance.add_dynamic_partitions(str(collections.name), added)
    for key in removed:
        instance.delete_dynamic_partition(str(collections.name), key)
    return added, removed
