"""Rewrites the figures of README.md from the latest report: ``python docs/figures.py``.

The rendered numbers are kept in ``docs/figures.json``, so that a test can compare without a run.
"""

import json
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
STORED = ROOT / "docs" / "figures.json"
START, END = "<!-- figures:start -->", "<!-- figures:end -->"
METRICS = ("found@5", "sufficient@5", "found@1000t", "sufficient@1000t", "ndcg@10", "mrr")


def render(figures: dict) -> str:
    """The README block between its two markers."""
    head = f"| {figures['judged']} questions | " + " | ".join(METRICS) + " | tokens@5 |"
    lines = [
        f"Verdict of `make run`: **{figures['sentence']}**",
        "",
        head,
        "|---|" + "---:|" * (len(METRICS) + 1),
    ]
    for name, values in figures["strategies"].items():
        cells = [f"{values[metric]:.3f}" for metric in METRICS]
        lines.append(f"| `{name}` | " + " | ".join(cells) + f" | {values['tokens@5']:,.0f} |")
    lines.append("")
    lines += [
        f"- *{claim['statement']}*: **{claim['wording']}**. {claim['sentence']}"
        for claim in figures["claims"]
    ]
    return "\n".join(lines)


def main() -> None:
    """Read the latest report, store its figures, rewrite the block.

    The report is that of ``MOMENTRY_HOME``; `make run` writes one.
    """
    from momentry_assets.settings import load_settings
    from momentry_eval.stage import latest_result

    result = latest_result(load_settings().reports_dir)
    figures = {
        "judged": result.questions.judged,
        "sentence": result.verdict.sentence,
        "claims": [
            {
                "statement": claim.statement,
                "wording": str(claim.wording),
                "sentence": claim.sentence,
            }
            for claim in result.claims
        ],
        "strategies": {
            strategy.name: {
                name: round(strategy.figures[name].mean, 4) for name in (*METRICS, "tokens@5")
            }
            for strategy in result.strategies
        },
    }
    STORED.write_text(json.dumps(figures, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    readme = ROOT / "README.md"
    text = readme.read_text(encoding="utf-8")
    before, rest = text.split(START)
    after = rest.split(END)[1]
    readme.write_text(f"{before}{START}\n{render(figures)}\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
