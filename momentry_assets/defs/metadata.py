"""What a materialisation shows a person: counts, a table by collection, the column schema."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import dagster as dg
import pyarrow as pa

from momentry_assets.schemas import TableSpec

Number = int | float | bool


def column_schema(spec: TableSpec) -> dict[str, Any]:
    """``dagster/column_schema`` of a table: names, types, units and descriptions."""
    columns: list[dg.TableColumn] = []
    for field in spec.schema:
        declared = {key.decode(): value.decode() for key, value in (field.metadata or {}).items()}
        unit = f" [{declared['unit']}]" if "unit" in declared else ""
        columns.append(
            dg.TableColumn(
                field.name,
                str(field.type),
                description=declared["description"] + unit,
                constraints=dg.TableColumnConstraints(nullable=field.nullable),
            )
        )
    return {"dagster/column_schema": dg.TableSchema(columns=columns)}


def receipts_metadata(receipts: Mapping[str, Any], rows: int) -> dict[str, Any]:
    """Sums over the collections of a run, and one table line for each collection.

    Args:
        receipts: a receipt (dataclass) by collection name.
        rows: rows of the table that was written.
    """
    lines = {name: _shown(asdict(receipt)) for name, receipt in receipts.items()}
    metadata: dict[str, Any] = {"dagster/row_count": rows}
    for key in next(iter(lines.values()), {}):
        values = [line[key] for line in lines.values()]
        if all(isinstance(value, bool) for value in values):
            metadata[key] = sum(values)
        elif all(isinstance(value, int) for value in values):
            metadata[key] = int(max(values) if key.startswith("longest") else sum(values))
    if lines:
        metadata["collections"] = dg.MetadataValue.md(markdown_table("collection", lines))
    return metadata


def log_receipts(log: dg.DagsterLogManager, receipts: Mapping[str, Any]) -> None:
    """One line a collection: that nothing changed, or what was made."""
    for name, receipt in receipts.items():
        made = {
            key: value
            for key, value in _shown(asdict(receipt)).items()
            if key != "unchanged" and value
        }
        counts = ", ".join(f"{key} {value}" for key, value in made.items())
        log.info(f"{name}: {'unchanged; ' if receipt.unchanged else ''}{counts}")


def preview(table: pa.Table, columns: Sequence[str], rows: int = 5) -> dg.MarkdownMetadataValue:
    """The first rows of a table, long texts shortened."""
    head = table.select(list(columns)).slice(0, rows).to_pylist()
    lines = {str(number): row for number, row in enumerate(head, start=1)}
    return dg.MetadataValue.md(markdown_table("#", lines))


def markdown_table(first: str, lines: Mapping[str, Mapping[str, Any]]) -> str:
    """A Markdown table with one line an item."""
    columns = list(next(iter(lines.values()), {}))
    head = f"| {first} | {' | '.join(columns)} |\n|---|{'---:|' * len(columns)}"
    body = (
        f"| {_cell(name)} | {' | '.join(_cell(line[column]) for column in columns)} |"
        for name, line in lines.items()
    )
    return "\n".join([head, *body])


def _shown(receipt: dict[str, Any]) -> dict[str, Any]:
    return {
        key: len(value) if isinstance(value, tuple | list) else value
        for key, value in receipt.items()
        if key not in {"content_key", "generation"}
    }


def _cell(value: object) -> str:
    text = " ".join(str(value).split())
    text = text if len(text) <= 60 else text[:59] + "…"
    return text.replace("|", "\\|").replace("<", "&lt;")
