"""Reaching a Qdrant server: the connection, what is worth a second try, and what to say else."""

import logging
import socket
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import urlsplit

from momentry_assets.errors import StoreError

if TYPE_CHECKING:
    # Importing qdrant_client takes 2 s: at run time only where a server is used.
    from qdrant_client import QdrantClient

GRPC_PORT = 6334
TIMEOUT_SECONDS = 60
_KNOCK_SECONDS = 2.0
_ATTEMPTS = 4
_FIRST_PAUSE_SECONDS = 0.5
_TRANSIENT_STATUS = frozenset({429, 502, 503, 504})
_TRANSIENT_GRPC = frozenset({"UNAVAILABLE", "DEADLINE_EXCEEDED", "ABORTED", "RESOURCE_EXHAUSTED"})
_log = logging.getLogger(__name__)

Result = TypeVar("Result")


def connect(url: str, api_key: str | None = None) -> "QdrantClient":
    """A client that has been answered once, by gRPC when the server offers it.

    Raises:
        StoreError: nothing answers there, or it refuses the key.
    """
    from qdrant_client import QdrantClient

    # The version check is a REST call that only warns; the first call below is the real check.
    def client(*, grpc: bool) -> QdrantClient:
        return QdrantClient(
            url=url,
            api_key=api_key,
            prefer_grpc=grpc,
            grpc_port=GRPC_PORT,
            timeout=TIMEOUT_SECONDS,
            check_compatibility=False,
        )

    if _listens(urlsplit(url).hostname, GRPC_PORT):
        by_grpc = client(grpc=True)
        try:
            with_retries(by_grpc.get_aliases, doing="connecting", where=url, attempts=1)
        except StoreError as error:
            _log.warning("%s; using REST", error)
            by_grpc.close()
        else:
            return by_grpc
    by_rest = client(grpc=False)
    try:
        with_retries(by_rest.get_aliases, doing="connecting", where=url)
    except StoreError:
        by_rest.close()
        raise
    return by_rest


def with_retries(
    action: Callable[[], Result], *, doing: str, where: str, attempts: int = _ATTEMPTS
) -> Result:
    """Run an action that may be repeated; try again only when waiting can help.

    Args:
        action: what to do.
        doing: what it is, for the message: ``"loading 'docs'"``.
        where: the server's address, for the message.
        attempts: 1 for what must not be done twice.

    Raises:
        StoreError: it failed for good, or too often.
    """
    pause = _FIRST_PAUSE_SECONDS
    for attempt in range(1, attempts + 1):
        try:
            return action()
        except StoreError:
            raise
        # Local mode raises ValueError, REST and gRPC their own families: all of them end here.
        except Exception as error:
            if attempt == attempts or not is_transient(error):
                advice = (
                    "check that the server runs and MOMENTRY_QDRANT_URL is right"
                    if is_transient(error)
                    else "see the server's log"
                )
                raise StoreError(
                    f"{where}: Qdrant failed when {doing}: {_reason(error)}; {advice}"
                ) from error
            _log.info("%s: %s, trying again in %.1f s", where, _reason(error), pause)
            time.sleep(pause)
            pause *= 2
    raise StoreError(f"{where}: {doing} wants at least one attempt, got {attempts}")


def is_transient(error: Exception) -> bool:
    """True for what may pass by waiting: no connection, a timeout, an overloaded server."""
    from grpc import RpcError
    from qdrant_client.common.client_exceptions import ResourceExhaustedResponse
    from qdrant_client.http.exceptions import ResponseHandlingException, UnexpectedResponse

    if isinstance(error, UnexpectedResponse):
        return error.status_code in _TRANSIENT_STATUS
    if isinstance(error, RpcError):
        code = getattr(error, "code", None)
        return code is not None and code().name in _TRANSIENT_GRPC
    return isinstance(error, ResponseHandlingException | ResourceExhaustedResponse)


def _reason(error: Exception) -> str:
    """One line: gRPC's own text has six."""
    details = getattr(error, "details", None)
    text = str(details()) if callable(details) else str(error)
    return " ".join(text.split()) or type(error).__name__


def _listens(host: str | None, port: int) -> bool:
    try:
        socket.create_connection((host or "localhost", port), timeout=_KNOCK_SECONDS).close()
    except OSError:
        return False
    return True
