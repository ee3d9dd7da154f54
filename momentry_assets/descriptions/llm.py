"""The ``llm`` describer and question writer: an endpoint that may fail, a cache, a stand-in.

An answer that was paid for is in the cache soon after it came. A request that failed is answered
by the stand-in, says so in ``fallback``, is not cached, and is asked again in the next run.
"""

import json
import re
import time
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from typing import Any, cast

from momentry_assets.descriptions import (
    Describer,
    Description,
    ParentText,
    Progress,
    Questions,
    QuestionWriter,
)
from momentry_assets.descriptions.cache import TextCache
from momentry_assets.descriptions.chat import SEED, ChatClient, ChatError, Pause
from momentry_assets.descriptions.prompts import DESCRIPTION, QUESTIONS, Prompt, Request
from momentry_assets.sentences import sentence_starts
from momentry_assets.settings import LlmSettings
from momentry_assets.tables import content_key

SAVED_AT_ONCE = 32
MAX_QUESTION_CHARACTERS = 300
_TOKENS_OF_A_QUESTION = 60
_WORDS_PER_TOKEN = 0.75
# The endpoint's tokenizer is another one; only what is far too long should be cut off there.
_SPARE = 4

_THOUGHTS = re.compile(r"^\s*<think>.*?</think>", re.DOTALL | re.IGNORECASE)
_LABEL = re.compile(r"^(?:description|summary)\s*:\s*", re.IGNORECASE)
_REFUSAL = re.compile(
    r"^(?:sorry, |i(?: a|['’]?)m sorry\b|as an ai\b|i(?: a|['’])m (?:unable|not able) to |"
    r"i (?:cannot|can not|can['’]t|won['’]t) "
    r"(?:help|assist|comply|provide|fulfil|summari[sz]e|describe))",
    re.IGNORECASE,
)
_NUMBERING = re.compile(r"^(?:[-*•·]|\(?\d{1,3}[.):、]|Q\s?\d*[.:)])\s*", re.IGNORECASE)
_QUESTION_MARKS = ("?", "？", "؟", "\u037e", "՞", "፧")


class LlmDescriber:
    """Descriptions by an OpenAI-compatible endpoint.

    Args:
        settings: endpoint, model, key, requests at the same time, tries.
        cache: answers by hash of everything that was asked.
        fallback: writes where the endpoint gives no usable answer.
        max_tokens: length of a description; a longer one is cut at a sentence or word.
        count: tokens of a text, by the embedder's tokenizer where it is at hand.
        pause: waits a number of seconds between two tries.

    Raises:
        SettingsError: when the endpoint's settings cannot be used.
    """

    def __init__(
        self,
        settings: LlmSettings,
        cache: TextCache,
        fallback: Describer,
        max_tokens: int,
        *,
        count: Callable[[str], int] | None = None,
        pause: Pause = time.sleep,
    ) -> None:
        words = max(1, round(max_tokens * _WORDS_PER_TOKEN))
        self._endpoint = _Endpoint(
            settings, cache, DESCRIPTION, words, _SPARE * max_tokens, _description, pause
        )
        self._fallback = fallback
        self._max_tokens = max_tokens
        self._count = count or estimated_tokens

    @property
    def identity(self) -> tuple[object, ...]:
        """See `Describer`."""
        return (*self._endpoint.identity, self._max_tokens, *self._fallback.identity)

    def describe(
        self, parents: Sequence[ParentText], progress: Progress | None = None
    ) -> list[Description]:
        """See `Describer`."""
        answers = self._endpoint.answers(parents, progress)
        failed = [place for place, one in enumerate(answers) if one.failure]
        written = self._fallback.describe([parents[place] for place in failed]) if failed else []
        stand_ins = dict(zip(failed, written, strict=True))
        return [
            Description(stand_ins[place].text, stand_ins[place].writer, one.failure)
            if one.failure
            else Description(shortened(one.text, self._max_tokens, self._count), self._writer)
            for place, one in enumerate(answers)
        ]

    @property
    def _writer(self) -> str:
        return f"llm:{self._endpoint.model}"


class LlmQuestionWriter:
    """Questions by an OpenAI-compatible endpoint; arguments as those of `LlmDescriber`.

    Args:
        count: most questions of one parent.
    """

    def __init__(
        self,
        settings: LlmSettings,
        cache: TextCache,
        fallback: QuestionWriter,
        count: int,
        *,
        pause: Pause = time.sleep,
    ) -> None:
        limit = _SPARE * _TOKENS_OF_A_QUESTION * count
        self._endpoint = _Endpoint(settings, cache, QUESTIONS, count, limit, _questions, pause)
        self._fallback = fallback
        self._count = count

    @property
    def identity(self) -> tuple[object, ...]:
        """See `QuestionWriter`."""
        return (*self._endpoint.identity, self._count, *self._fallback.identity)

    def questions(
        self, parents: Sequence[ParentText], progress: Progress | None = None
    ) -> list[Questions]:
        """See `QuestionWriter`."""
        answers = self._endpoint.answers(parents, progress)
        failed = [place for place, one in enumerate(answers) if one.failure]
        written = self._fallback.questions([parents[place] for place in failed]) if failed else []
        stand_ins = dict(zip(failed, written, strict=True))
        return [
            Questions(stand_ins[place].texts, stand_ins[place].writer, one.failure)
            if one.failure
            else Questions(tuple(json.loads(one.text))[: self._count], self._writer)
            for place, one in enumerate(answers)
        ]

    @property
    def _writer(self) -> str:
        return f"llm:{self._endpoint.model}"


@dataclass(frozen=True, slots=True)
class _Answer:
    """A checked text, or the reason why there is none."""

    text: str = ""
    failure: str = ""


class _Endpoint:
    """Asks one prompt about many parents: what is cached costs nothing, the rest side by side."""

    def __init__(
        self,
        settings: LlmSettings,
        cache: TextCache,
        prompt: Prompt,
        limit: int,
        max_tokens: int,
        check: Callable[[str], str],
        pause: Pause,
    ) -> None:
        self._client = ChatClient(settings, pause)
        self._cache = cache
        self._prompt = prompt
        self._limit = limit
        self._max_tokens = max_tokens
        self._check = check
        self._concurrency = settings.concurrency
        self.model = settings.model

    @property
    def identity(self) -> tuple[object, ...]:
        """What decides an answer beside the parent; the address does not."""
        return ("llm", self.model, *self._prompt.identity, self._limit, self._max_tokens, SEED)

    def answers(self, parents: Sequence[ParentText], progress: Progress | None) -> list[_Answer]:
        """One answer a parent, in order."""
        requests = [self._prompt.request(one, self._limit) for one in parents]
        keys = [content_key(*self.identity, one.system, one.user) for one in requests]
        known: dict[str, _Answer] = {}
        new: dict[str, Request] = {}
        for key, parent, request in zip(keys, parents, requests, strict=True):
            text = self._cache.get(key)
            if not parent.text.strip():
                known[key] = _Answer(failure="the parent has no text to ask about")
            elif text is not None:
                known[key] = _Answer(text)
            else:
                new[key] = request
        if new:
            known |= self._asked(new, progress)
        return [known[key] for key in keys]

    def _asked(
        self, requests: Mapping[str, Request], progress: Progress | None
    ) -> dict[str, _Answer]:
        answers: dict[str, _Answer] = {}
        unsaved: dict[str, str] = {}
        with self._client, ThreadPoolExecutor(self._concurrency) as threads:
            futures = {threads.submit(self._ask, one): key for key, one in requests.items()}
            try:
                for future in as_completed(futures):
                    key = futures[future]
                    answers[key] = answer = future.result()
                    if not answer.failure:
                        unsaved[key] = answer.text
                    if len(unsaved) >= SAVED_AT_ONCE:
                        self._cache.add_many(unsaved)
                        unsaved = {}
                    if progress:
                        progress(len(answers), len(requests))
            finally:
                threads.shutdown(wait=False, cancel_futures=True)
                self._cache.add_many(unsaved)
        return answers

    def _ask(self, request: Request) -> _Answer:
        try:
            said = self._client.ask(request.system, request.user, self._max_tokens)
            return _Answer(self._check(_own_words(said, request)))
        except ChatError as error:
            return _Answer(failure=str(error))


def shortened(text: str, max_tokens: int, count: Callable[[str], int]) -> str:
    """The text, cut after its last sentence that fits, else at a word, else anywhere.

    What does not end with a sentence ends with ``…``.
    """
    if count(text) <= max_tokens:
        return text
    for end in reversed(sentence_starts(text, 0, len(text))):
        if count(text[:end].rstrip()) <= max_tokens:
            return text[:end].rstrip()
    low, high = 1, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (
            (middle, high) if count(text[:middle] + "…") <= max_tokens else (low, middle - 1)
        )
    space = text.rfind(" ", 0, low + 1)
    return text[: space if space > low // 2 else low].rstrip() + "…"


def estimated_tokens(text: str) -> int:
    """Tokens of a text without a tokenizer: four characters each, or one ideograph or syllable."""
    wide = sum(unicodedata.east_asian_width(character) in "WF" for character in text)
    return wide + -(-(len(text) - wide) // 4)


def _own_words(said: str, request: Request) -> str:
    """An answer without thoughts and fences.

    Raises:
        ChatError: when it repeats what was sent or refuses.
    """
    text = _THOUGHTS.sub("", said).strip()
    if text.startswith("```"):
        text = text.strip("`").partition("\n")[2].strip() or text.strip("`").strip()
    if request.mark in text or any(
        len(sentence) > 40 and sentence in text for sentence in request.system.split(". ")
    ):
        raise ChatError("the answer repeats the prompt")
    if _REFUSAL.match(text):
        raise ChatError("the model refused")
    return text


def _description(text: str) -> str:
    """A description on one line.

    Raises:
        ChatError: when nothing is left of it.
    """
    flat = _LABEL.sub("", _line(text))
    if len(flat) > 1 and (flat[0], flat[-1]) in {('"', '"'), ("“", "”"), ("«", "»"), ("„", "“")}:
        flat = flat[1:-1].strip()
    if not _has_word(flat):
        raise ChatError("the answer has no word")
    return flat


def _questions(text: str) -> str:
    """Questions as a JSON array of distinct lines.

    Raises:
        ChatError: when no question is found.
    """
    found = _json_questions(text)
    if found is None:
        lines = [_NUMBERING.sub("", _line(line)) for line in text.splitlines()]
        found = [line for line in lines if not line.endswith((":", "："))]
    asked = [question for question in found if question.rstrip().endswith(_QUESTION_MARKS)]
    distinct: dict[str, str] = {}
    for question in asked or found:
        flat = _NUMBERING.sub("", _line(question)).strip('" ')
        if _has_word(flat) and len(flat) <= MAX_QUESTION_CHARACTERS:
            distinct.setdefault(flat.casefold(), flat)
    if not distinct:
        raise ChatError("the answer has no question")
    return json.dumps(list(distinct.values()), ensure_ascii=False)


def _json_questions(text: str) -> list[str] | None:
    """The texts of a JSON array, bare or within an object or a sentence; None without one."""
    array = re.search(r"\[.*\]", text, re.DOTALL)
    for candidate in (text, array[0] if array else ""):
        try:
            return list(_texts(json.loads(candidate)))
        except (ValueError, RecursionError):
            continue
    return None


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for one in cast(list[Any], value):
            yield from _texts(one)
    elif isinstance(value, dict):
        for one in cast(dict[str, Any], value).values():
            yield from _texts(one)


def _line(text: str) -> str:
    """White space collapsed; no control characters and lone surrogates, which tables refuse."""
    flat = " ".join(text.split())
    return "".join(one for one in flat if unicodedata.category(one) not in {"Cc", "Cs"})


def _has_word(text: str) -> bool:
    return any(character.isalnum() for character in text)
