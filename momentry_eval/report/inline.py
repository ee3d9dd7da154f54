"""A histogram small enough for the Dagster UI to show at once.

The UI shows Markdown under 1,000 characters inline and hides longer ones behind a link: a PNG
never fits, a few SVG strokes do. It drops raw ``<svg>``, so the drawing is a data URI.
"""

import base64

from momentry_eval.lengths import ParentLengths
from momentry_eval.report.charts import shares

_COLOURS = ("#1f62c4", "#d9822b")
_SLOT, _HEIGHT, _BAR = 36, 90, 14


def lengths_inline(lengths: ParentLengths) -> str:
    """Parent lengths as built and as returned, as Markdown under 1,000 characters."""
    shown = [lengths.built] + ([lengths.returned] if lengths.returned else [])
    tallest = max((share for one in shown for share in shares(one)), default=0.0) or 1.0
    used = [
        slot
        for slot, _ in enumerate(lengths.built.bins)
        if any(one.bins[slot].count for one in shown)
    ]
    last = max(used, default=0) + 1
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_SLOT * last + 8}" height="112" '
        'font-size="10" fill="#888">'
    ]
    for number, (one, colour) in enumerate(zip(shown, _COLOURS, strict=False)):
        bars = "".join(
            f"M{_SLOT * slot + 10 + _BAR * number} {_HEIGHT}v-{round(_HEIGHT * share / tallest)}"
            for slot, share in enumerate(shares(one)[:last])
            if share
        )
        parts.append(f'<path d="{bars}" stroke="{colour}" stroke-width="{_BAR}"/>')
    parts.extend(
        f'<text x="{_SLOT * slot + 3}" y="105">{one.low}</text>'
        for slot, one in enumerate(lengths.built.bins[:last])
    )
    drawing = base64.b64encode("".join([*parts, "</svg>"]).encode()).decode()
    legend = "blue built, orange returned" if lengths.returned else "as built"
    return f"Parents by tokens: {legend}\n\n![histogram](data:image/svg+xml;base64,{drawing})"
