"""Descriptions of parents."""

from momentry_assets.sentences import sentence_starts

LEAD_CHARACTERS = 200


def lead(text: str, section_hierarchy: tuple[str, ...]) -> str:
    """The first sentences of a parent, up to 200 characters, white space collapsed.

    A first sentence that is longer is cut at a word and ends in ``…``. A parent without a text
    of its own is described by its heading.
    """
    flat = " ".join(text.split())
    if not flat:
        return section_hierarchy[-1] if section_hierarchy else ""
    if len(flat) <= LEAD_CHARACTERS:
        return flat
    ends = [at for at in sentence_starts(flat, 0, len(flat)) if at <= LEAD_CHARACTERS]
    if ends:
        return flat[: ends[-1]].rstrip()
    return flat[: flat.rfind(" ", 0, LEAD_CHARACTERS) + 1 or LEAD_CHARACTERS].rstrip() + "…"
