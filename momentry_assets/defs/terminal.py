"""The run logger: one short line a message, for a terminal or a compute log."""

import logging
import sys

import dagster as dg


class _Lines(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        meta = getattr(record, "dagster_meta", {})
        step = meta.get("step_key") or ""
        message = meta.get("orig_message") or record.getMessage()
        mark = "" if record.levelno <= logging.INFO else f"{record.levelname.lower()}: "
        return f"  {step:<20} {mark}{message}"


@dg.logger(config_schema={"log_level": dg.Field(str, default_value="INFO")})
def terminal_logger(context: dg.InitLoggerContext) -> logging.Logger:
    """Messages of the assets at INFO and above; Dagster's own events stay in the event log."""
    logger = logging.Logger("momentry", level=context.logger_config["log_level"])
    handler = logging.StreamHandler(sys.stdout)
    handler.setFormatter(_Lines())
    logger.addHandler(handler)
    return logger
