"""Opens the describer and the question writer that the settings name."""

from dataclasses import dataclass

from momentry_assets.descriptions import Describer, QuestionWriter
from momentry_assets.descriptions.cache import TextCache
from momentry_assets.descriptions.extractive import ExtractiveDescriber
from momentry_assets.descriptions.lead import LeadDescriber
from momentry_assets.descriptions.llm import LlmDescriber, LlmQuestionWriter
from momentry_assets.descriptions.questions import KeyPhraseQuestionWriter
from momentry_assets.embedding.encoder import Encoder
from momentry_assets.settings import ChunkingSettings, Settings


@dataclass(frozen=True, slots=True)
class Writers:
    """Who writes what is not in the documents."""

    describer: Describer
    questions: QuestionWriter

    @property
    def identity(self) -> tuple[object, ...]:
        """What of both belongs into a content key."""
        return (self.describer.identity, self.questions.identity)


def open_writers(settings: Settings, chunking: ChunkingSettings, encoder: Encoder) -> Writers:
    """The writers of one collection.

    Questions are written by the endpoint when there is one, else from headings and key phrases.

    Raises:
        SettingsError: when the ``llm`` describer is chosen and no endpoint is set.
    """
    folder = settings.home / "cache"
    extractive = ExtractiveDescriber(
        encoder, TextCache(folder / "extractive"), chunking.description_tokens
    )
    describer: Describer = LeadDescriber() if chunking.describer == "lead" else extractive
    questions: QuestionWriter = KeyPhraseQuestionWriter(chunking.questions_per_parent)
    if chunking.describer == "llm":
        cache = TextCache(folder / "llm")
        describer = LlmDescriber(
            settings.llm,
            cache,
            extractive,
            chunking.description_tokens,
            count=lambda text: encoder.counter.count([text])[0] - encoder.counter.special_tokens,
        )
        questions = LlmQuestionWriter(settings.llm, cache, questions, chunking.questions_per_parent)
    return Writers(describer, questions)
