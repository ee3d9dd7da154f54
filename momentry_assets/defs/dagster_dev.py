"""`dagster dev` for `momentry ui`, without two warnings that are true and of no use here.

Run as ``python -m momentry_assets.defs.dagster_dev dev …``: the arguments are Dagster's own.
"""

import logging
import runpy
import sys
import warnings

from momentry_assets.parent_process import end_with_parent

# `dg dev` wants the project layout of `create-dagster`; `dagster dev` works with any.
_SUPERSEDED = "Function `dev_command` is superseded"
# With another MOMENTRY_HOME the root's dagster.yaml is copied there on purpose.
_OTHER_HOME = "will not be used to configure Dagster"


def _is_of_use(record: logging.LogRecord) -> bool:
    return _OTHER_HOME not in record.getMessage()


if __name__ == "__main__":
    end_with_parent()
    warnings.filterwarnings("ignore", message=_SUPERSEDED)
    logging.getLogger("dagster").addFilter(_is_of_use)
    sys.argv[0] = "dagster"
    runpy.run_module("dagster", run_name="__main__", alter_sys=True)
