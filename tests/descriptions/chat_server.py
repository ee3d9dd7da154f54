"""A local HTTP server that speaks ``/v1/chat/completions``, errors included."""

import json
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Reply:
    """What the server sends: a status, a body (JSON unless bytes), headers."""

    status: int = 200
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    trickle: threading.Event | None = None


Respond = Callable[[dict[str, Any], int], Reply]


def completion(content: object, **choice: Any) -> Reply:
    """A chat completion as the protocol has it."""
    message = {"role": "assistant", "content": content} | choice.pop("message", {})
    entry = {"index": 0, "message": message, "finish_reason": "stop"} | choice
    return Reply(
        body={
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 1,
            "model": "tiny",
            "choices": [entry],
            "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
        }
    )


def error(status: int, message: str = "", **headers: str) -> Reply:
    """An error as OpenAI writes it."""
    return Reply(status, {"error": {"message": message, "type": "x", "code": None}}, headers)


class ChatServer:
    """Counts and keeps what it was asked; ``respond`` gets a request and its number from 1."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.respond: Respond = lambda body, number: completion(f"Answer {number}.")
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.paths: list[str] = []
        self.active = self.most_active = 0
        self.lock = threading.Lock()


@contextmanager
def chat_server() -> Generator[ChatServer]:
    """Serve on a free port of loopback."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            with served.lock:
                served.requests.append(body)
                served.headers.append(dict(self.headers))
                served.paths.append(self.path)
                number = len(served.requests)
                served.active += 1
                served.most_active = max(served.most_active, served.active)
            try:
                reply = served.respond(body, number)
            finally:
                with served.lock:
                    served.active -= 1
            raw = reply.body if isinstance(reply.body, bytes) else json.dumps(reply.body).encode()
            self.send_response(reply.status)
            for name, value in reply.headers.items():
                self.send_header(name.replace("_", "-"), value)
            self.send_header("Content-Length", str(len(raw)))
            self.end_headers()
            try:
                while reply.trickle is not None and not reply.trickle.wait(0.02):
                    self.wfile.write(b" ")
                self.wfile.write(raw)
            except OSError:
                self.close_connection = True

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    served = ChatServer(f"http://127.0.0.1:{server.server_port}/v1")
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield served
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
