"""The sentence-transformers model behind one small class. Vectors are float32 and unit length."""

import os
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np
import numpy.typing as npt

from momentry_assets.embedding.profile import EncoderProfile
from momentry_assets.embedding.tokens import TokenCounter
from momentry_assets.errors import ModelError

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

Vectors = npt.NDArray[np.float32]
Progress = Callable[[int, int], None]


class Encoder:
    """Turns texts into vectors.

    Args:
        profile: model, limits and prompts.
        device: torch device name, None lets sentence-transformers choose.
        batch_tokens: padded tokens of one batch (rows x longest text).
    """

    def __init__(
        self, profile: EncoderProfile, *, device: str | None = None, batch_tokens: int = 2048
    ) -> None:
        self.profile = profile
        self.counter = TokenCounter(profile)
        self._device = device
        self._batch_tokens = batch_tokens

    @cached_property
    def _model(self) -> "SentenceTransformer":
        os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
        # Deferred: importing sentence_transformers takes 11 s.
        from sentence_transformers import SentenceTransformer
        from transformers.utils import logging as transformers_logging

        # Its bar for loading weights would stand between our own lines of progress.
        transformers_logging.disable_progress_bar()
        try:
            model = SentenceTransformer(str(self.profile.folder), device=self._device)
        except (OSError, ValueError, RuntimeError) as error:
            raise ModelError(f"{self.profile.folder}: cannot be loaded ({error})") from error
        model.max_seq_length = self.profile.max_tokens
        return model

    @cached_property
    def dimension(self) -> int:
        """Length of a vector."""
        return int(self.encode(["dimension"], "query").shape[1])

    def encode(
        self,
        texts: Sequence[str],
        role: Literal["document", "query"],
        progress: Progress | None = None,
    ) -> Vectors:
        """Vectors of texts, shape ``(len(texts), dimension)``, float32, unit length.

        Equal texts are embedded once; batches hold texts of similar length, so that little
        is padding.

        Args:
            texts: without prompt.
            role: which prompt is put before them.
            progress: called with (done, all) after every batch.

        Raises:
            ModelError: when the model returns something that is not finite.
        """
        prompt = self.profile.document_prompt if role == "document" else self.profile.query_prompt
        distinct = list(dict.fromkeys(texts))
        if not distinct:
            return np.empty((0, self.dimension), dtype=np.float32)
        lengths = self.counter.count([prompt + text for text in distinct])
        vectors: list[Vectors | None] = [None] * len(distinct)
        done = 0
        for batch in _batches(lengths, self._batch_tokens):
            encoded = self._model.encode(
                [distinct[row] for row in batch],
                prompt=prompt or None,
                batch_size=len(batch),
                show_progress_bar=False,
                normalize_embeddings=True,
            )
            for row, vector in zip(batch, np.asarray(encoded, dtype=np.float32), strict=True):
                vectors[row] = vector
            done += len(batch)
            if progress:
                progress(done, len(distinct))
        by_text = dict(zip(distinct, vectors, strict=True))
        result = np.stack([vector for text in texts if (vector := by_text[text]) is not None])
        if not np.isfinite(result).all():
            bad = texts[int(np.flatnonzero(~np.isfinite(result).all(axis=1))[0])]
            raise ModelError(f"{self.profile.name}: not a finite vector for the text {bad[:80]!r}")
        return result


def _batches(lengths: Sequence[int], batch_tokens: int) -> list[list[int]]:
    """Rows in order of falling length, as many a batch as fit when padded to its longest."""
    batches: list[list[int]] = []
    room = 0
    for row in sorted(range(len(lengths)), key=lambda row: (-lengths[row], row)):
        if room == 0:
            batches.append([])
            room = max(1, batch_tokens // max(1, lengths[row]))
        batches[-1].append(row)
        room -= 1
    return batches
