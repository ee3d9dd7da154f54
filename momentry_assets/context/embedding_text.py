"""The embedding text of a chunk: source 000's two forms with source 003's title and section.

A child::

    Document: Rolling back a release
    Section: Failed deploys > Rolling back
    [paragraph] Rolling back the artifact alone leaves the new configuration in place …
    Parent: A rollback restores the previous release artifact …

A parent::

    Document: Rolling back a release
    Section: Failed deploys > Rolling back
    Summary: A rollback restores …
    Children: first child. second child. …

The content is never cut for context. Context may use a quarter of the budget and what the content
leaves; it is shortened from the far end at words, a section path from the root inwards.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from momentry_assets.embedding.tokens import TokenCounter

NO_PARENT = "N/A"
_ENDS = (".", "!", "?", "…", "。", "！", "？", ":")


@dataclass(frozen=True, slots=True)
class ChildContext:
    """What is known around a child. Media leaves title and section empty (source 000)."""

    chunk_type: str
    content: str
    parent_description: str
    title: str = ""
    section_hierarchy: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ParentContext:
    """What is known of a parent: its description and its children's texts."""

    description: str
    children: tuple[str, ...]
    title: str = ""
    section_hierarchy: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TokenBudget:
    """The limit of one embedding text, prompt and special tokens included."""

    counter: TokenCounter
    max_tokens: int
    prompt: str = ""

    @property
    def content_tokens(self) -> int:
        """What a child's content may use: the limit less prompt, special tokens and ``[type]``."""
        frame = self.counter.count([f"{self.prompt}[paragraph] \nParent: {NO_PARENT}"])[0]
        return max(1, self.max_tokens - frame - 4)

    def tokens(self, texts: Sequence[str]) -> list[int]:
        """Length of embedding texts with prompt and special tokens."""
        return self.counter.count([self.prompt + text for text in texts])


def child_texts(budget: TokenBudget, children: Sequence[ChildContext]) -> list[str]:
    """The embedding text of every child, within the budget."""
    bodies = [f"[{one.chunk_type}] {_flat(one.content)}" for one in children]
    layers = [
        _Layers(one.title, one.section_hierarchy, "Parent", one.parent_description)
        for one in children
    ]
    return _assemble(budget, bodies, layers, bodies, context_first=False)


def parent_texts(budget: TokenBudget, parents: Sequence[ParentContext]) -> list[str]:
    """The embedding text of every parent, within the budget."""
    bodies = ["Children: " + _sentences(one.children) for one in parents]
    layers = [
        _Layers(one.title, one.section_hierarchy, "Summary", one.description) for one in parents
    ]
    # Many tiny children: the full stops between them are the first to go.
    bare = ["Children: " + _flat(" ".join(one.children)) for one in parents]
    return _assemble(budget, bodies, layers, bare, context_first=True)


@dataclass(frozen=True, slots=True)
class _Layers:
    title: str
    section: tuple[str, ...]
    label: str
    description: str

    def lines(self, share: float) -> tuple[list[str], str]:
        """Head lines and the description line, shortened to about ``share`` of their words.

        A section path loses headings from the root; only the last one is itself shortened.
        """
        section = self.section[len(self.section) - max(1, round(len(self.section) * share)) :]
        path = " > ".join(section) if share > 0.0 else ""
        if len(section) == 1:
            path = _shorten(path, share)
        head = [
            f"{name}: {text}"
            for name, text in (("Document", _shorten(self.title, share)), ("Section", path))
            if text
        ]
        description = _shorten(self.description, share)
        if self.label == "Parent":
            description = description or NO_PARENT
        return head, f"{self.label}: {description}" if description else ""


# Shares of the context that are tried in turn until the text fits.
_SHARES = (1.0, 0.75, 0.5, 0.35, 0.2, 0.1, 0.0)


def _assemble(
    budget: TokenBudget,
    bodies: list[str],
    layers: list[_Layers],
    bare: list[str],
    *,
    context_first: bool,
) -> list[str]:
    """Bodies with as much context as fits; ``bare`` where a body has no room for any."""
    texts = bodies.copy()
    frame = budget.tokens([""])[0] if bodies else 0
    alone = [count - frame for count in budget.tokens(bodies)]
    pending = list(range(len(bodies)))
    for share in _SHARES:
        if not pending:
            break
        tried: list[str] = []
        for row in pending:
            head, description = layers[row].lines(share)
            middle = [description, bodies[row]] if context_first else [bodies[row], description]
            tried.append("\n".join(line for line in (*head, *middle) if line))
        over: list[int] = []
        for row, text, count in zip(pending, tried, budget.tokens(tried), strict=True):
            context = count - frame - alone[row]
            if count <= budget.max_tokens and (context <= budget.max_tokens // 4 or share == 0.0):
                texts[row] = text
            else:
                over.append(row)
        pending = over
    for row in pending:
        texts[row] = bare[row]
    return texts


def _shorten(text: str, share: float) -> str:
    if share >= 1.0 or not text:
        return text
    words = text.split()
    return " ".join(words[: int(len(words) * share)])


def _flat(text: str) -> str:
    return " ".join(text.split())


def _sentences(texts: Sequence[str]) -> str:
    """Texts joined as in source 000: ``first. second. third``."""
    flat = [one for text in texts if (one := _flat(text))]
    return " ".join(one if one.endswith(_ENDS) else f"{one}." for one in flat)
