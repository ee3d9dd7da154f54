"""Progress of long work in Dagster's log."""

import time

import dagster as dg

SECONDS = 5.0


class Progress:
    """One log line every few seconds: ``embedded 1,024 of 5,000 texts``."""

    def __init__(self, log: dg.DagsterLogManager, done: str, unit: str) -> None:
        self._log = log
        self._done = done
        self._unit = unit
        self._next = time.monotonic() + SECONDS

    def __call__(self, done: int, total: int) -> None:
        """Say how far it is, unless something was said a moment ago."""
        if time.monotonic() >= self._next or done == total:
            self._next = time.monotonic() + SECONDS
            self._log.info(f"{self._done} {done:,} of {total:,} {self._unit}")
