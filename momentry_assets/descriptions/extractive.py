"""The ``extractive`` describer: the sentences nearest the centre of a parent, in their order.

The centre is the mean of the vectors of the parent's sentences, weighted by their length. What
is chosen are the nearest sentences that fit into the budget.
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np

from momentry_assets.descriptions import Description, ParentText, Progress
from momentry_assets.descriptions.cache import TextCache
from momentry_assets.descriptions.lead import lead
from momentry_assets.embedding.encoder import Encoder, Vectors
from momentry_assets.sentences import sentence_starts
from momentry_assets.tables import content_key

VERSION = 1
# Vectors differ in their last bits with what else is in a batch; order must not.
_DECIMALS = 4


class ExtractiveDescriber:
    """Describes with the parent's own sentences; deterministic, nothing is generated.

    Args:
        encoder: its vectors say what is central, its tokenizer what is long.
        cache: what was described once is not embedded again.
        max_tokens: length of a description.
    """

    def __init__(self, encoder: Encoder, cache: TextCache, max_tokens: int) -> None:
        self._encoder = encoder
        self._cache = cache
        self._max_tokens = max_tokens

    @property
    def identity(self) -> tuple[object, ...]:
        """See `Describer`."""
        return ("extractive", VERSION, *self._encoder.profile.identity, self._max_tokens)

    def describe(
        self, parents: Sequence[ParentText], progress: Progress | None = None
    ) -> list[Description]:
        """See `Describer`."""
        keys = [content_key(*self.identity, one.language, one.text) for one in parents]
        texts = {key: text for key in keys if (text := self._cache.get(key)) is not None}
        new = {key: one for key, one in zip(keys, parents, strict=True) if key not in texts}
        written = dict(zip(new, self._write(list(new.values()), progress), strict=True))
        self._cache.add_many(written)
        texts |= written
        return [
            Description(texts[key] or lead("", one.section_hierarchy), "extractive")
            for key, one in zip(keys, parents, strict=True)
        ]

    def _write(self, parents: Sequence[ParentText], progress: Progress | None) -> list[str]:
        flat = [" ".join(one.text.split()) for one in parents]
        long = [row for row, count in enumerate(self._count(flat)) if count > self._max_tokens]
        sentences = {row: _sentences(parents[row]) for row in long}
        every = list(dict.fromkeys(text for own in sentences.values() for text in own))
        # What the model would truncate has no vector to rely on and could not be chosen.
        limit = self._encoder.profile.max_tokens - self._encoder.counter.special_tokens
        counts = {
            text: count
            for text, count in zip(every, self._count(every), strict=True)
            if count <= limit
        }
        if not counts:
            return [lead(text) for text in flat]
        vectors = self._encoder.encode(list(counts), "document", progress)
        vector_of = dict(zip(counts, vectors, strict=True))
        for row, found in sentences.items():
            own = [text for text in found if text in counts]
            flat[row] = " ".join(_nearest(own, vector_of, counts, self._max_tokens)) or lead(
                flat[row]
            )
        return flat

    def _count(self, texts: Sequence[str]) -> list[int]:
        special = self._encoder.counter.special_tokens
        return [count - special for count in self._encoder.counter.count(texts)] if texts else []


def _sentences(parent: ParentText) -> list[str]:
    """Sentences and lines, white space collapsed, without repetitions."""
    found: list[str] = []
    for block in parent.text.split("\n\n"):
        borders = [0, *sentence_starts(block, 0, len(block)), len(block)]
        for start, end in pairwise(borders):
            sentence = " ".join(block[start:end].split())
            if any(character.isalnum() for character in sentence):
                found.append(sentence)
    return list(dict.fromkeys(found))


def _nearest(
    sentences: Sequence[str],
    vector_of: Mapping[str, Vectors],
    counts: Mapping[str, int],
    max_tokens: int,
) -> list[str]:
    """The sentences nearest the centre that fit together, in their own order."""
    if not sentences:
        return []
    vectors = np.stack([vector_of[text] for text in sentences])
    centre = np.asarray([counts[text] for text in sentences], dtype=np.float32) @ vectors
    nearness = np.round(vectors @ centre / (float(np.linalg.norm(centre)) or 1.0), _DECIMALS)
    room = max_tokens
    chosen: list[int] = []
    for place in sorted(range(len(sentences)), key=lambda place: (-float(nearness[place]), place)):
        if counts[sentences[place]] <= room:
            chosen.append(place)
            room -= counts[sentences[place]]
    return [sentences[place] for place in sorted(chosen)]
