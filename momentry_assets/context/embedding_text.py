"""The embedding text of a chunk: source 000's two forms and source 003's layers.

A child of a document (source 003, with source 000's parent below it)::

    Document: Rolling back a release
    Type: markdown
    Tags: deploy, release
    Section: Failed deploys > Rolling back
    Previous context: ...previous configuration together.
    Following context: Database migrations are not reverted by a rollback...
    Content: Rolling back the artifact alone leaves the new configuration in place …
    Parent: A rollback restores the previous release artifact …

A child of media, or of a document with all those layers switched off (source 000)::

    [sentence] Hello, how are you?
    Parent: A man enters a building. He walks down a hallway.

A parent, below the same first lines if it is part of a document::

    Summary: A man enters a building. He walks down a hallway.
    Children: Hello, how are you? I'm fine thank you. The weather is nice today.

The content is never cut for context. Context may use a quarter of the budget and what the content
leaves; it is shortened from the far end at words, a section path from the root inwards. What of a
parent does not fit into one text is embedded as another.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from momentry_assets.embedding.tokens import TokenCounter

NO_PARENT = "N/A"
_ENDS = (".", "!", "?", "…", "。", "！", "？", ":")


@dataclass(frozen=True, slots=True)
class Layers:
    """What is known around a chunk. A layer that is empty has no line.

    Attributes:
        previous, following: text before and after a child, already as long as wanted.
        description: of the parent; None leaves the line out, empty gives ``N/A`` to a child.
    """

    title: str = ""
    document_type: str = ""
    tags: tuple[str, ...] = ()
    section_hierarchy: tuple[str, ...] = ()
    previous: str = ""
    following: str = ""
    description: str | None = None

    def head(self, share: float) -> list[str]:
        """The lines above the content, shortened to about ``share`` of their words."""
        before = _last_words(self.previous, share)
        after = _first_words(self.following, share)
        lines = {
            "Document": _first_words(self.title, share),
            "Type": self.document_type if share >= _KEEPS_TYPE else "",
            "Tags": ", ".join(self.tags[: round(len(self.tags) * share)]),
            "Section": _inner_path(self.section_hierarchy, share),
            "Previous context": f"...{before}" if before else "",
            "Following context": f"{after}..." if after else "",
        }
        return [f"{name}: {text}" for name, text in lines.items() if text]


@dataclass(frozen=True, slots=True)
class ChildContext:
    """A child's own text and what is around it.

    Attributes:
        speaker: stands before the content as ``Name: ``, empty for none.
    """

    chunk_type: str
    content: str
    layers: Layers = field(default_factory=lambda: Layers(description=""))
    speaker: str = ""


@dataclass(frozen=True, slots=True)
class ParentContext:
    """The texts of a parent's children and what is around the parent."""

    children: tuple[str, ...]
    layers: Layers = field(default_factory=Layers)


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
        return max(1, self.max_tokens - frame - _SLACK)

    def tokens(self, texts: Sequence[str]) -> list[int]:
        """Length of embedding texts with prompt and special tokens."""
        return self.counter.count([self.prompt + text for text in texts])


def child_texts(budget: TokenBudget, children: Sequence[ChildContext]) -> list[str]:
    """The embedding text of every child, within the budget."""
    drafts: list[_Draft] = []
    for one in children:
        spoken = f"{one.speaker}: " if one.speaker else ""
        content = f"{spoken}{_flat(one.content)}"
        body = f"Content: {content}" if one.layers.head(1.0) else f"[{one.chunk_type}] {content}"
        bare = f"[{one.chunk_type}] {_flat(one.content)}"
        drafts.append(_Draft(body, bare, one.layers, "Parent", below=True))
    return _assemble(budget, drafts)


def parent_texts(budget: TokenBudget, parents: Sequence[ParentContext]) -> list[tuple[str, ...]]:
    """The embedding texts of every parent: one, or several where its children do not fit into one.

    Together the texts of a parent hold every word of its children.
    """
    sentences = [[_sentence(text) for text in one.children if text.strip()] for one in parents]
    counts = iter(budget.counter.count([text for own in sentences for text in own]))
    special = budget.counter.special_tokens
    frame = budget.tokens(["Children: "])[0] if parents else 0
    drafts: list[_Draft] = []
    parts: list[int] = []
    for one, own in zip(parents, sentences, strict=True):
        groups: list[list[str]] = [[]]
        room = budget.max_tokens - frame
        for sentence in own:
            tokens = next(counts) - special
            if groups[-1] and tokens > room:
                groups.append([])
                room = budget.max_tokens - frame
            groups[-1].append(sentence)
            room -= tokens
        for group in groups:
            body = f"Children: {' '.join(group)}"
            drafts.append(_Draft(body, body, one.layers, "Summary", below=False))
        parts.append(len(groups))
    texts = iter(_assemble(budget, drafts))
    return [tuple(next(texts) for _ in range(count)) for count in parts]


@dataclass(frozen=True, slots=True)
class _Draft:
    """A body that is never cut, and the description that stands above or below it."""

    body: str
    bare: str
    layers: Layers
    label: str
    below: bool

    def text(self, share: float) -> str:
        description = self.layers.description
        line = ""
        if description is not None:
            shortened = _first_words(_flat(description), share)
            if shortened or self.label == "Parent":
                line = f"{self.label}: {shortened or NO_PARENT}"
        lines = [self.body, line] if self.below else [line, self.body]
        return "\n".join(one for one in (*self.layers.head(share), *lines) if one)


# Shares of the context that are tried in turn until the text fits.
_SHARES = (1.0, 0.75, 0.5, 0.35, 0.2, 0.1, 0.0)
_KEEPS_TYPE = 0.2
# Joining may cost a token where two texts meet.
_SLACK = 4


def _assemble(budget: TokenBudget, drafts: Sequence[_Draft]) -> list[str]:
    """Bodies with as much context as fits; ``bare`` where a body has no room for any."""
    if not drafts:
        return []
    texts = [draft.body for draft in drafts]
    frame = budget.tokens([""])[0]
    alone = [count - frame for count in budget.tokens(texts)]
    pending = list(range(len(drafts)))
    for share in _SHARES:
        if not pending:
            break
        tried = [drafts[row].text(share) for row in pending]
        over: list[int] = []
        for row, text, count in zip(pending, tried, budget.tokens(tried), strict=True):
            context = count - frame - alone[row]
            if count <= budget.max_tokens and (context <= budget.max_tokens // 4 or share == 0.0):
                texts[row] = text
            else:
                over.append(row)
        pending = over
    for row in pending:
        texts[row] = drafts[row].bare
    return texts


def _inner_path(path: tuple[str, ...], share: float) -> str:
    """The headings nearest the content; only the last one is itself shortened."""
    if share <= 0.0 or not path:
        return ""
    kept = path[len(path) - max(1, round(len(path) * share)) :]
    return _first_words(kept[0], share) if len(kept) == 1 else " > ".join(kept)


def _first_words(text: str, share: float) -> str:
    if share >= 1.0 or not text:
        return text
    words = text.split()
    return " ".join(words[: int(len(words) * share)])


def _last_words(text: str, share: float) -> str:
    if share >= 1.0 or not text:
        return text
    words = text.split()
    return " ".join(words[len(words) - int(len(words) * share) :])


def _flat(text: str) -> str:
    return " ".join(text.split())


def _sentence(text: str) -> str:
    """A child's text as source 000 joins them: ``first. second. third``."""
    flat = _flat(text)
    return flat if flat.endswith(_ENDS) else f"{flat}."
