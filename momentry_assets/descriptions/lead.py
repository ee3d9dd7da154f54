"""The ``lead`` describer: the first sentences of a parent."""

from collections.abc import Sequence

from momentry_assets.descriptions import Description, ParentText, Progress
from momentry_assets.sentences import sentence_starts

LEAD_CHARACTERS = 200


class LeadDescriber:
    """Describes without a model; also stands in where the extractive one finds no sentence."""

    identity: tuple[object, ...] = ("lead", 1, LEAD_CHARACTERS)

    def describe(
        self, parents: Sequence[ParentText], progress: Progress | None = None
    ) -> list[Description]:
        """See `Describer`."""
        if progress:
            progress(len(parents), len(parents))
        return [Description(lead(one.text, one.section_hierarchy), "lead") for one in parents]


def lead(text: str, section_hierarchy: tuple[str, ...] = ()) -> str:
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
