"""A loopback hub that answers about each of its repositories in a wrong way of its own."""

from __future__ import annotations

import hashlib
import http.server
import json
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote, urlsplit

COMMIT = "c0ffee" + "0" * 34
ROWS = b'{"q": 1}\n'
SHA256 = hashlib.sha256(ROWS).hexdigest()


def honest() -> dict[str, Any]:
    """What the hub would list of a repository with one file."""
    lfs = {"oid": SHA256, "sha256": SHA256, "size": len(ROWS), "pointerSize": 134}
    file = {"rfilename": "data.jsonl", "size": len(ROWS), "blobId": "b" * 40, "lfs": lfs}
    told = {"_id": "a" * 24, "private": False, "disabled": False, "gated": False, "downloads": 0, "likes": 0, "tags": []}
    return {**told, "id": "evil/it", "author": "evil", "sha": COMMIT, "siblings": [file]}


@dataclass(frozen=True)
class Wrong:
    """How one repository is answered about; what is left out is as it should be."""

    listing: Callable[[dict[str, Any]], Any] = lambda told: told
    body: bytes = ROWS
    etag: str = SHA256
    status: int = 200
    listing_status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)


class HostileHub:
    """Serves repositories `evil/NAME` on the loopback interface; `asked` are the paths of all requests."""

    def __init__(self, repositories: Mapping[str, Wrong]) -> None:
        self.repositories, self.asked = dict(repositories), list[str]()
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> HostileHub:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def _handler(self) -> type[http.server.BaseHTTPRequestHandler]:
        hub = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                path = unquote(urlsplit(self.path).path)
                hub.asked.append(path)
                parts = path.strip("/").split("/")
                listed = parts[:1] == ["api"]
                wrong = hub.repositories[parts[3 if listed else 2]]
                if listed:
                    self._answer(wrong.listing_status, json.dumps(wrong.listing(honest())).encode(), {})
                else:
                    named = {"ETag": f'"{wrong.etag}"', "X-Repo-Commit": COMMIT, **wrong.headers}
                    self._answer(wrong.status, wrong.body, named)

            do_HEAD = do_GET

            def _answer(self, status: int, body: bytes, headers: Mapping[str, str]) -> None:
                self.send_response(status)
                for name, value in {"Content-Length": str(len(body)), **headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                """Say nothing."""

        return Handler
