"""`TableStore`: Parquet tables by name and partition, published together or not at all.

Layout below its folder::

    <partition>/<table>-<content key>.parquet    written to a temporary name, fsynced, renamed
    <partition>/manifest.json                    names the live files; replaced atomically

Readers open only what the manifest names, so a half-written product is never seen, and the two
chunk levels, published by one manifest, are never mixed.
"""

import hashlib
import json
import os
import tempfile
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from momentry_assets.errors import TableError
from momentry_assets.schemas import TableSpec

MANIFEST = "manifest.json"


@dataclass(frozen=True, slots=True)
class TableEntry:
    """A live table: its file, the content key it was made from, and its number of rows."""

    file: str
    content_key: str
    rows: int


def content_key(*parts: object) -> str:
    """A short stable key of everything a product depends on (32 hex digits of SHA-256)."""
    text = json.dumps(parts, sort_keys=True, ensure_ascii=False, default=str)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


class TableStore:
    """Reads and publishes tables below one folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def partitions(self) -> list[str]:
        """Partitions that have a manifest, sorted."""
        return sorted(path.parent.name for path in self.folder.glob(f"*/{MANIFEST}"))

    def entry(self, spec: TableSpec, partition: str) -> TableEntry | None:
        """The live entry of a table, None when it was never published."""
        return self._manifest(partition).get(spec.name)

    def is_current(self, specs: Iterable[TableSpec], partition: str, key: str) -> bool:
        """True when all the tables are live, were made from ``key`` and their files are whole."""
        manifest = self._manifest(partition)
        entries = [manifest.get(spec.name) for spec in specs]
        return all(
            entry is not None
            and entry.content_key == key
            and _is_whole(self.folder / partition / entry.file, entry.rows)
            for entry in entries
        )

    def read(
        self, spec: TableSpec, partition: str, columns: Sequence[str] | None = None
    ) -> pa.Table:
        """A table as published.

        Raises:
            TableError: when it was never published or its file is damaged.
        """
        path = self._live_file(spec, partition)
        try:
            table = pq.read_table(path, columns=list(columns) if columns else None)
        except (OSError, pa.ArrowException) as error:
            raise _unreadable(path, spec, error) from error
        return table

    def batches(
        self, spec: TableSpec, partition: str, columns: Sequence[str] | None = None
    ) -> Iterator[pa.RecordBatch]:
        """The rows of a table as record batches, without holding the table.

        Raises:
            TableError: when it was never published or its file is damaged.
        """
        path = self._live_file(spec, partition)
        try:
            with pq.ParquetFile(path) as file:
                yield from file.iter_batches(columns=list(columns) if columns else None)
        except (OSError, pa.ArrowException) as error:
            raise _unreadable(path, spec, error) from error

    def publish(
        self,
        partition: str,
        key: str,
        tables: Mapping[TableSpec, pa.Table | Iterable[pa.RecordBatch]],
    ) -> dict[str, TableEntry]:
        """Write tables and make them live with one manifest change.

        Args:
            partition: partition key.
            key: content key of what the tables were made from.
            tables: a table, or record batches of the declared schema, for each declaration.

        Returns:
            The new entries by table name.

        Raises:
            TableError: when the rows have other columns or types than declared, naming the column.
        """
        folder = self.folder / partition
        folder.mkdir(parents=True, exist_ok=True)
        entries: dict[str, TableEntry] = {}
        for spec, rows in tables.items():
            name = f"{spec.name}-{key}.parquet"
            batches = rows.to_batches(65_536) if isinstance(rows, pa.Table) else rows
            entries[spec.name] = TableEntry(name, key, _write(folder / name, spec, batches))
        self._replace_manifest(partition, self._manifest(partition) | entries)
        self._remove_dead_files(partition)
        return entries

    def drop_partition(self, partition: str) -> None:
        """Remove everything of a partition."""
        folder = self.folder / partition
        (folder / MANIFEST).unlink(missing_ok=True)
        for path in folder.glob("*"):
            path.unlink()
        if folder.exists():
            folder.rmdir()

    def _live_file(self, spec: TableSpec, partition: str) -> Path:
        entry = self.entry(spec, partition)
        if entry is None:
            raise TableError(
                f"table {spec.name} of partition {partition!r} does not exist in {self.folder}; "
                f"materialise it first"
            )
        return self.folder / partition / entry.file

    def _manifest(self, partition: str) -> dict[str, TableEntry]:
        path = self.folder / partition / MANIFEST
        try:
            raw = json.loads(path.read_text(encoding="utf-8"))
            return {name: TableEntry(**entry) for name, entry in raw.items()}
        except FileNotFoundError:
            return {}
        except (ValueError, TypeError) as error:
            raise TableError(
                f"{path}: not a manifest ({error}); delete it to start over"
            ) from error

    def _replace_manifest(self, partition: str, entries: Mapping[str, TableEntry]) -> None:
        text = json.dumps({name: asdict(entry) for name, entry in entries.items()}, indent=1)
        write_text_atomically(self.folder / partition / MANIFEST, text)

    def _remove_dead_files(self, partition: str) -> None:
        live = {entry.file for entry in self._manifest(partition).values()}
        for path in (self.folder / partition).iterdir():
            if path.name not in live and path.name != MANIFEST:
                path.unlink(missing_ok=True)


@contextmanager
def replaced_atomically(path: Path) -> Generator[Path]:
    """Yield a temporary path beside ``path``; on success fsync it and rename it over ``path``."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".tmp", dir=path.parent)
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        with temporary.open("rb+") as file:
            os.fsync(file.fileno())
        temporary.chmod(0o644)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def write_text_atomically(path: Path, text: str) -> None:
    """Write a whole text file so that readers see the old one or the new one."""
    with replaced_atomically(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def _write(path: Path, spec: TableSpec, batches: Iterable[pa.RecordBatch]) -> int:
    rows = 0
    with (
        replaced_atomically(path) as temporary,
        pq.ParquetWriter(temporary, spec.schema, compression="zstd") as writer,
    ):
        for batch in batches:
            writer.write_batch(_as_declared(batch, spec))
            rows += batch.num_rows
    return rows


def _as_declared(batch: pa.RecordBatch, spec: TableSpec) -> pa.RecordBatch:
    """The batch with the declared schema; only a column of nulls alone may change its type."""
    found, expected = batch.schema.names, spec.schema.names
    if found != expected:
        missing = [name for name in expected if name not in found]
        foreign = [name for name in found if name not in expected]
        raise TableError(
            f"{spec.name}: columns are not as declared (missing: {missing}, not declared: "
            f"{foreign}, order: {found}); build the rows with the schema in momentry_assets.schemas"
        )
    columns: list[Any] = []
    for declared, column in zip(spec.schema, batch.columns, strict=True):
        if not declared.nullable and column.null_count:
            raise TableError(
                f"{spec.name}.{declared.name}: {column.null_count} nulls are not allowed"
            )
        if pa.types.is_null(column.type):
            column = column.cast(declared.type)
        if column.type != declared.type:
            raise TableError(
                f"{spec.name}.{declared.name}: is {column.type}, declared {declared.type}"
            )
        columns.append(column)
    return pa.RecordBatch.from_arrays(columns, schema=spec.schema)


def _is_whole(path: Path, rows: int) -> bool:
    """Whether a file has a Parquet footer that tells the rows it was published with."""
    try:
        return pq.read_metadata(path).num_rows == rows
    except (OSError, pa.ArrowException):
        return False


def _unreadable(path: Path, spec: TableSpec, error: Exception) -> TableError:
    return TableError(f"{path}: cannot be read as Parquet ({error}); materialise {spec.name} again")
