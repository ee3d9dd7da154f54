"""Renderers of an `EvaluationResult`: HTML, Markdown, plots. They compute no figures."""
