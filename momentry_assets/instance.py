"""Dagster's home: where the history of runs lives, whatever ``MOMENTRY_HOME`` is."""

import json
import os
import re
from pathlib import Path

from momentry_assets.settings import Settings, project_root
from momentry_assets.tables import write_text_atomically

CONFIG = "dagster.yaml"
DEFAULT_HOME = ".momentry"


def prepare_dagster_home(settings: Settings) -> Path:
    """The folder with the ``dagster.yaml`` to use; sets ``DAGSTER_HOME`` when it is not the root.

    With the default home the project's own ``dagster.yaml`` keeps history in ``.momentry``. With
    another home a copy of it, its paths changed, is written there. A ``DAGSTER_HOME`` that is
    already set is left alone.
    """
    if chosen := os.environ.get("DAGSTER_HOME"):
        return Path(chosen)
    root = project_root()
    settings.home.mkdir(parents=True, exist_ok=True)
    if settings.home == root / DEFAULT_HOME and (root / CONFIG).exists():
        return root
    home = settings.home / "dagster"
    template = (root / CONFIG).read_text(encoding="utf-8") if (root / CONFIG).exists() else ""
    write_text_atomically(home / CONFIG, _moved(template, home / "storage"))
    os.environ["DAGSTER_HOME"] = str(home)
    return home


def _moved(template: str, storage: Path) -> str:
    """The configuration with its paths below another folder, quoted: it may have any name."""
    return re.sub(
        re.escape(f"{DEFAULT_HOME}/dagster") + r"(\S*)",
        lambda found: json.dumps(f"{storage}{found[1]}", ensure_ascii=False),
        template,
    )
