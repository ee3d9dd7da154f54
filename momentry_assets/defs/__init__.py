"""The Dagster layer: one file a Dagster concept, a few lines over the domain each."""

import warnings

import dagster as dg

# `backfill_policy` has been a beta parameter for years; it is pinned by our Dagster range, and its
# warning at every load would hide the warnings that matter.
warnings.filterwarnings("ignore", message=".*backfill_policy.*", category=dg.BetaWarning)
