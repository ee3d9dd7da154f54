"""Seeded Markdown of the kinds that stand in real documentation, as much of it as wanted.

Nothing is copied: the words are drawn from the embedder's vocabulary (so that they have the
tokens words usually have) and made up from syllables, by a law of frequency like that of a
language; the structure is drawn as well.
"""

import random
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate

_SYLLABLES = "kalomirtendruvaspelosquibranfelitharzunomgeltrawyncoreth"
_ACCENTED = ("Größe", "café", "naïve", "Übung", "señal", "façade", "Ångström", "smørrebrød")
_CHINESE = "图书馆的泵在春天检修阀门和灯塔的守卫记录水位风向以及每天的气压变化"
_LANGUAGES = ("python", "sh", "yaml", "", "json", "sql", "text")


class MarkdownCorpus:
    """Documents of one seed.

    Args:
        seed: the same seed gives the same documents.
        vocabulary: words, the most frequent first.
    """

    def __init__(self, seed: int, vocabulary: Sequence[str]) -> None:
        self._random = random.Random(seed)
        made_up: list[str] = []
        for _ in range(1500):
            starts = self._random.choices(range(len(_SYLLABLES) - 3), k=3)
            made_up.append("".join(_SYLLABLES[at : at + 3] for at in starts))
        words = list(vocabulary)
        for word in (*made_up, *_ACCENTED):
            words.insert(self._random.randrange(200, len(words)), word)
        self._words = words
        # Zipf's law, flattened at its head as Mandelbrot does.
        self._weights = list(accumulate(1 / (rank + 12) for rank in range(len(words))))

    def documents(self, sizes: Sequence[int]) -> Iterator[str]:
        """One document for every size in characters, a little longer than asked."""
        for number, size in enumerate(sizes):
            yield self.document(size, front_matter=number % 3 == 0)

    def document(self, size: int, *, front_matter: bool = False) -> str:
        """Sections of very different length below headings of four levels."""
        parts: list[str] = []
        if front_matter:
            tags = ", ".join(self.words(3))
            parts.append(f"---\ntitle: {self.title()}\ntags: [{tags}]\nlang: en\n---")
        parts.append(f"# {self.title()}")
        length = sum(map(len, parts))
        level = 1
        while length < size:
            # Down one level at a time, up any number.
            level = min(4, self._random.randint(2, level + 1)) if level > 1 else 2
            parts.append(f"{'#' * level} {self.title()}")
            length += len(parts[-1]) + 2
            blocks = self._random.choices((0, 1, 2, 4, 8, 25), (1, 4, 5, 6, 4, 1))[0]
            for _ in range(blocks):
                parts.append(self.block())
                length += len(parts[-1]) + 2
        return "\n\n".join(parts) + "\n"

    def block(self) -> str:
        """A paragraph more often than not, else any other block."""
        makers: tuple[Callable[[], str], ...] = (
            self.paragraph,
            self.lead,
            self.bullets,
            self.steps,
            self.table,
            self.fence,
            self.quote,
            self.chinese,
            self.aside,
        )
        return self._random.choices(makers, (40, 5, 8, 5, 5, 9, 4, 2, 2))[0]()

    def words(self, count: int) -> list[str]:
        """Words by their frequency."""
        return self._random.choices(self._words, cum_weights=self._weights, k=count)

    def title(self) -> str:
        """A heading of one to six words, some with marks."""
        title = " ".join(self.words(self._random.randint(1, 6))).capitalize()
        return self._random.choices((title, f"The `{title.split()[0]}` option"), (9, 1))[0]

    def sentence(self) -> str:
        """Four to thirty words, some marked, a comma here and there."""
        words = self.words(self._random.randint(4, 30))
        words[0] = words[0].capitalize()
        if len(words) > 12:
            words[len(words) // 2] += ","
        mark = self._random.random()
        at = self._random.randrange(len(words))
        if mark < 0.08:
            words[at] = f"`{words[at].strip(',')}`"
        elif mark < 0.14:
            words[at] = f"**{words[at]}**"
        elif mark < 0.18:
            words[at] = f"[{words[at]}](https://example.org/{words[0].lower()})"
        elif mark < 0.22:
            words[at] = f"{self._random.randint(2, 9)}.{self._random.randint(0, 99)}"
        return " ".join(words) + self._random.choices(".?!", (18, 1, 1))[0]

    def paragraph(self) -> str:
        """One to twelve sentences; some hard-wrapped."""
        count = self._random.choices((1, 2, 3, 5, 8, 12), (3, 5, 6, 4, 2, 1))[0]
        sentences = [self.sentence() for _ in range(count)]
        return ("\n" if self._random.random() < 0.25 else " ").join(sentences)

    def lead(self) -> str:
        """A line shorter than any chunk should be, before something else."""
        return self._random.choice(("Run this:", "Note.", "For example:", "And then", "Ok?"))

    def bullets(self) -> str:
        """Two to fifteen items, some with items of their own."""
        lines: list[str] = []
        for _ in range(self._random.randint(2, 15)):
            lines.append(f"- {' '.join(self.words(self._random.randint(1, 18)))}")
            if self._random.random() < 0.15:
                lines.append(f"  - {' '.join(self.words(4))}")
        return "\n".join(lines)

    def steps(self) -> str:
        """A numbered list of sentences."""
        count = self._random.randint(2, 8)
        return "\n".join(f"{number}. {self.sentence()}" for number in range(1, count + 1))

    def table(self) -> str:
        """Two to five columns, up to thirty rows."""
        columns = self._random.randint(2, 5)
        rows = [f"| {' | '.join(self.words(columns))} |", "|" + "---|" * columns]
        for _ in range(self._random.choice((2, 4, 8, 30))):
            cells = (" ".join(self.words(self._random.randint(1, 3))) for _ in range(columns))
            rows.append(f"| {' | '.join(cells)} |")
        return "\n".join(rows)

    def fence(self) -> str:
        """Code with comments that look like headings; one in ten longer than a child."""
        lines: list[str] = []
        for _ in range(self._random.choices((1, 3, 7, 12, 45), (2, 4, 4, 2, 1))[0]):
            names = self.words(3)
            lines.append(
                self._random.choice(
                    (
                        f"# {' '.join(names)}",
                        f"{names[0]} = {names[1]}({self._random.randint(0, 999)})",
                        f"    return {names[0]}.{names[1]}[{names[2]!r}]",
                        f"{names[0]} --{names[1]} {names[2]} # {names[0]}",
                        "",
                    )
                )
            )
        mark = self._random.choices(("```", "~~~"), (9, 1))[0]
        return f"{mark}{self._random.choice(_LANGUAGES)}\n" + "\n".join(lines) + f"\n{mark}"

    def quote(self) -> str:
        """A quotation of one to three lines."""
        return "\n".join(f"> {self.sentence()}" for _ in range(self._random.randint(1, 3)))

    def chinese(self) -> str:
        """Sentences without spaces."""
        return "".join(
            "".join(self._random.choices(_CHINESE, k=self._random.randint(5, 40))) + "。"
            for _ in range(self._random.randint(1, 6))
        )

    def aside(self) -> str:
        """What is in the text and says nothing: a rule, a comment, a picture."""
        return self._random.choice(
            ("---", f"<!-- {self.sentence()} -->", f"![{self.title()}](pictures/one.png)")
        )
