"""One conversation turn with an OpenAI-compatible endpoint: ``POST <base_url>/chat/completions``.

Spoken through httpx, which qdrant-client brings anyway, since retries, pauses and the circuit
below are ours and OpenAI's own package (30 MB) reads variables of its own.
"""

import json
import threading
import time
from collections.abc import Callable, Mapping
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, cast

from momentry_assets.errors import ModelError, SettingsError
from momentry_assets.settings import LlmSettings

if TYPE_CHECKING:
    import httpx

Pause = Callable[[float], None]

SEED = 7
FIRST_PAUSE_SECONDS = 1.0
LONGEST_PAUSE_SECONDS = 60.0
FAILURES_THAT_OPEN_THE_CIRCUIT = 5
_MAX_ANSWER_BYTES = 1_000_000
_WORTH_ANOTHER_TRY = frozenset({408, 425, 429})
# They are about one request; every other failure says that the endpoint cannot be used as set.
_ABOUT_THE_REQUEST = frozenset({400, 413, 422})
# Local servers take keys such as "none", which a text may well contain.
_SHORTEST_SECRET = 16


class ChatError(ModelError):
    """No usable answer. The message is the reason, without address and key.

    Args:
        reason: what is wrong.
        retry: whether another try may succeed.
        endpoint: whether it says something about the endpoint rather than about this request.
        wait_seconds: how long the endpoint asked to wait.
    """

    def __init__(
        self,
        reason: str,
        *,
        retry: bool = False,
        endpoint: bool = False,
        wait_seconds: float | None = None,
    ) -> None:
        self.retry = retry
        self.endpoint = endpoint
        self.wait_seconds = wait_seconds
        super().__init__(reason)


class ChatClient:
    """Asks an endpoint; used as a context manager, by several threads at once.

    After five requests in a row that failed for good, no more are sent: a dead endpoint must not
    cost the time-out for each of thousands of parents. The next ``with`` tries again, and gives
    up after one failure until something has succeeded.

    Args:
        settings: endpoint, model, key, time-out of a whole request, tries.
        pause: waits a number of seconds between two tries.

    Raises:
        SettingsError: when address or model is missing or something cannot be sent as it is.
    """

    def __init__(self, settings: LlmSettings, pause: Pause = time.sleep) -> None:
        if not settings.base_url or not settings.model:
            missing = "base_url" if not settings.base_url else "model"
            raise SettingsError(
                f"llm.{missing} is not set: the llm describer needs an OpenAI-compatible endpoint; "
                f"set base_url and model in the [llm] table of momentry.toml"
            )
        if not settings.base_url.startswith(("http://", "https://")):
            raise SettingsError("llm.base_url must begin with http:// or https://")
        self._key = settings.api_key.get_secret_value().strip() if settings.api_key else ""
        if not (self._key.isascii() and self._key.isprintable()):
            raise SettingsError("llm.api_key holds a character that no HTTP header can carry")
        self._settings = settings
        self._url = settings.base_url.rstrip("/") + "/chat/completions"
        self._pause = pause
        self._lock = threading.Lock()
        self._failures = 0
        self._last_reason = ""

    def __enter__(self) -> "ChatClient":
        # httpx takes 0.1 s to import, and only this writer needs it.
        import httpx

        self._failures = min(self._failures, FAILURES_THAT_OPEN_THE_CIRCUIT - 1)
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        timeout = self._settings.timeout_seconds
        try:
            self._http = httpx.Client(headers=headers, timeout=timeout)
            self._http.build_request("POST", self._url)
        except (httpx.InvalidURL, ValueError) as error:
            raise SettingsError(
                f"llm.base_url or the proxy variables cannot be used ({self._safe(str(error))})"
            ) from None
        return self

    def __exit__(self, *_: object) -> None:
        self._http.close()

    def ask(self, system: str, user: str, max_tokens: int) -> str:
        """The text of the answer, which is not empty; with temperature 0 and a fixed seed.

        Raises:
            ChatError: with the reason, after the last try.
        """
        body = json.dumps(
            {
                "model": self._settings.model,
                "messages": [
                    {"role": "system", "content": system},
                    {"role": "user", "content": user},
                ],
                "max_tokens": max_tokens,
                "temperature": 0,
                "seed": SEED,
            }
        ).encode()
        attempt = 1
        while True:
            self._stop_if_open()
            try:
                text = _content(self._post(body))
                if len(self._key) >= _SHORTEST_SECRET and self._key in text:
                    raise ChatError("the answer holds the API key")
            except ChatError as error:
                if error.retry and attempt < self._settings.attempts:
                    wait = error.wait_seconds or FIRST_PAUSE_SECONDS * 2 ** (attempt - 1)
                    self._pause(min(wait, LONGEST_PAUSE_SECONDS))
                    attempt += 1
                    continue
                if error.endpoint:
                    self._count_failure(str(error))
                raise
            self._count_success()
            return text

    def _post(self, body: bytes) -> object:
        """One try: the JSON of the answer."""
        import httpx

        # httpx limits the wait for each part of an answer, which a trickle of bytes never exceeds.
        deadline = time.monotonic() + self._settings.timeout_seconds
        try:
            with self._http.stream("POST", self._url, content=body) as response:
                raw = bytearray()
                for part in response.iter_bytes():
                    raw += part
                    if time.monotonic() > deadline:
                        raise httpx.ReadTimeout("the answer did not end in time")
                    if len(raw) > _MAX_ANSWER_BYTES:
                        raise ChatError("the answer is longer than a megabyte", endpoint=True)
        except httpx.TimeoutException:
            seconds = self._settings.timeout_seconds
            raise ChatError(f"no answer in {seconds:g} s", retry=True, endpoint=True) from None
        except httpx.HTTPError as error:
            reason = f"the endpoint cannot be reached ({self._safe(str(error))})"
            raise ChatError(reason, retry=True, endpoint=True) from None
        if response.status_code != 200:
            raise self._refused(response, bytes(raw))
        try:
            return json.loads(raw)
        except (ValueError, RecursionError):
            raise ChatError("the answer is not JSON", endpoint=True) from None

    def _refused(self, response: "httpx.Response", raw: bytes) -> ChatError:
        status = response.status_code
        said = self._safe(_error_message(raw))
        return ChatError(
            f"HTTP {status}" + (f": {said}" if said else ""),
            retry=status in _WORTH_ANOTHER_TRY or status >= 500,
            endpoint=status not in _ABOUT_THE_REQUEST,
            wait_seconds=_retry_after(response.headers.get("Retry-After", "")),
        )

    def _safe(self, text: str) -> str:
        """What may be shown of a message: one short line without the key."""
        shown = text.replace(self._key, "***") if self._key else text
        return " ".join(shown.split())[:200]

    def _stop_if_open(self) -> None:
        with self._lock:
            if self._failures >= FAILURES_THAT_OPEN_THE_CIRCUIT:
                raise ChatError(f"not asked, since the requests before failed: {self._last_reason}")

    def _count_failure(self, reason: str) -> None:
        with self._lock:
            self._failures += 1
            self._last_reason = reason

    def _count_success(self) -> None:
        with self._lock:
            self._failures = 0


def _content(answer: object) -> str:
    """The text of a chat completion.

    Raises:
        ChatError: when there is none, or the model did not end by itself.
    """
    if not isinstance(answer, Mapping) or not isinstance(answer.get("choices"), list):
        raise ChatError("the answer is not a chat completion: it has no choices", endpoint=True)
    choices = cast(list[Any], answer["choices"])
    choice = choices[0] if choices else None
    message = choice.get("message") if isinstance(choice, Mapping) else None
    if not isinstance(choice, Mapping) or not isinstance(message, Mapping):
        raise ChatError("the answer has no choices" if not choices else "the answer has no message")
    if message.get("refusal"):
        raise ChatError("the model refused")
    reason = choice.get("finish_reason")
    if reason == "length":
        raise ChatError("the answer was cut off at its length limit")
    if reason == "content_filter":
        raise ChatError("the answer was withheld by a content filter")
    content = message.get("content")
    if not isinstance(content, str):
        raise ChatError("the answer's content is not a text")
    if not content.strip():
        raise ChatError("the answer is empty")
    return content


def _error_message(raw: bytes) -> str:
    """``error.message`` as OpenAI writes it, ``message`` or ``detail`` as others do."""
    try:
        said: Any = json.loads(raw)
    except (ValueError, RecursionError):
        return ""
    for name in ("error", "message", "detail"):
        if isinstance(said, Mapping) and name in said:
            said = said[name]
    return said if isinstance(said, str) else ""


def _retry_after(value: str) -> float | None:
    """Seconds until the time that a ``Retry-After`` header names (RFC 9110, 10.2.3)."""
    try:
        seconds = float(value)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(value).timestamp() - time.time()
        except ValueError:
            return None
    return seconds if seconds > 0 else None
