"""Texts that cost time or money to write, kept by content hash in Parquet files.

Every addition is one new file with a name of its own, renamed into place: a run that is killed
keeps what was added before, and several processes may add at once.
"""

import logging
import uuid
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from momentry_assets.tables import replaced_atomically

SCHEMA = pa.schema(
    [pa.field("key", pa.string(), nullable=False), pa.field("text", pa.string(), nullable=False)]
)
_log = logging.getLogger(__name__)


class TextCache:
    """Texts by key, below one folder. What other processes add later is not seen.

    Args:
        folder: made with the first addition.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def get(self, key: str) -> str | None:
        """The text of a key (see `momentry_assets.tables.content_key`), None when unknown."""
        return self._texts.get(key)

    def add_many(self, texts: Mapping[str, str]) -> None:
        """Keep texts by key; what is on disk afterwards is all of them or, if killed, none.

        Raises:
            OSError: when the folder cannot be written.
        """
        if not texts:
            return
        table = pa.Table.from_pydict(
            {"key": list(texts), "text": list(texts.values())}, schema=SCHEMA
        )
        with replaced_atomically(self.folder / f"{uuid.uuid4().hex}.parquet") as temporary:
            pq.write_table(table, temporary, compression="zstd")
        self._texts.update(texts)

    @cached_property
    def _texts(self) -> dict[str, str]:
        texts: dict[str, str] = {}
        for path in sorted(self.folder.glob("*.parquet")):
            try:
                table = pq.ParquetFile(path).read()
                if table.schema != SCHEMA:
                    raise ValueError(f"its columns are {table.schema.names}")
                texts.update(zip(*table.to_pydict().values(), strict=True))
            except (OSError, ValueError, pa.ArrowException) as error:
                _log.warning("%s: left out of the cache, cannot be read (%s)", path, error)
        return texts
