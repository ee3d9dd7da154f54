"""The Dagster layer: one file a Dagster concept, a few lines over the domain each."""
