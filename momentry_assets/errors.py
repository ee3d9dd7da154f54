"""The errors Momentry raises: one small hierarchy; a message says what, where, what to do."""


class MomentryError(Exception):
    """Base of every error that Momentry raises on purpose."""


class SettingsError(MomentryError):
    """A setting is missing, contradictory or out of range."""


class SourceError(MomentryError):
    """A file of the corpus cannot be read. The run goes on without it.

    Args:
        path: the file, relative to the corpus.
        reason: what is wrong and, where it helps, what to do.
        place: where in the file, for example ``"line 12"`` or ``"segments[3].start"``.
        reader: the reader that was chosen, empty when none was.
    """

    def __init__(self, path: str, reason: str, *, place: str = "", reader: str = "") -> None:
        self.path = path
        self.reason = reason
        self.place = place
        self.reader = reader
        super().__init__(": ".join(part for part in (path, place, reason) if part))


class TableError(MomentryError):
    """A Parquet table is missing, damaged or has another schema than the one declared."""


class ModelError(MomentryError):
    """The embedding model cannot be loaded or returns what it should not."""


class StoreError(MomentryError):
    """PostgreSQL or Qdrant refused something or cannot be reached."""


class StoreLockedError(StoreError):
    """Another process holds the embedded index."""


class SearchError(MomentryError):
    """A search was asked with input that has no answer (empty query, k below 1, unknown filter)."""


class EvaluationError(MomentryError):
    """Questions, gold evidence or runs cannot be judged as they stand."""
