"""Requests to a server that speaks OpenAI's protocol: JSON over HTTP, from the standard library.

One connection is kept open between requests, since stepping makes one for every token. Redirects
and proxies are not followed. An answer longer than a limit, or none in time, is an error.
"""

from __future__ import annotations

import http.client
import json
import socket
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from formgate.core.errors import FormgateError

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["JsonClient", "ServerError"]

_SHOWN = 300  # characters of an answer in a message


class ServerError(FormgateError, RuntimeError):
    """A server could not be asked, refused, or gave an answer that cannot be used.

    Args:
        message: What is wrong.
        status: The answer's HTTP status; None when there was none.
        text: The text that was generated, where that is what is wrong.
    """

    def __init__(self, message: str, *, status: int | None = None, text: str | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.text = text


class JsonClient:
    """Posts JSON to one server. Not for several threads at once.

    Args:
        base_url: Where the paths of requests begin, as ``http://127.0.0.1:8000/v1``.
        headers: Sent with each request.
        timeout_s: Seconds that one request may take, from the connection to the last byte.
        max_bytes: Longest answer that is read.

    Raises:
        ServerError: The address is none of HTTP.
    """

    def __init__(
        self, base_url: str, headers: Mapping[str, str], *, timeout_s: float, max_bytes: int
    ) -> None:
        try:
            parts = urlsplit(base_url)
            port = parts.port
        except ValueError as error:
            raise ServerError(f"{base_url!r} is no address: {error}") from error
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ServerError(f"{base_url!r} is no address like 'http://127.0.0.1:8000/v1'")
        kind = (
            http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        )
        self._connection = kind(parts.hostname, port, timeout=timeout_s)
        self._place = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"
        self._path = parts.path.rstrip("/")
        self._headers = {"Content-Type": "application/json", **headers}
        self._max_bytes = max_bytes
        self._timeout_s = timeout_s

    def close(self) -> None:
        """Close the connection; the next request opens it again."""
        self._connection.close()

    def post(self, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
        """Return the answer to a request.

        Args:
            path: Below the base address; one that begins with two slashes stands beside ``/v1``.
            body: What to send, as JSON.

        Raises:
            ServerError: There is no answer, or it is no success, too long, or no JSON object.
        """
        if path.startswith("//"):
            full = self._path.removesuffix("/v1") + path[1:]
        else:
            full = self._path + path
        data = json.dumps(body).encode()
        status, text = self._exchange(full, data)
        if not 200 <= status < 300:
            raise ServerError(
                f"{self._place}{full} answers with status {status}: {_shown(text)}", status=status
            )
        try:
            answer = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise ServerError(
                f"{self._place}{full} answers with no JSON: {_shown(text)}", status=status
            ) from error
        if not isinstance(answer, dict):
            raise ServerError(
                f"{self._place}{full} answers with JSON that is no object: {_shown(text)}",
                status=status,
            )
        return answer

    def _exchange(self, path: str, data: bytes) -> tuple[int, bytes]:
        """Send a request and read the answer; once more where the kept connection had closed."""
        is_kept = self._connection.sock is not None
        try:
            return self._once(path, data)
        except (http.client.RemoteDisconnected, BrokenPipeError, ConnectionResetError) as error:
            self._connection.close()
            if not is_kept:
                raise ServerError(f"{self._place} closed the connection: {error}") from error
        try:
            return self._once(path, data)
        except (http.client.HTTPException, OSError) as error:
            self._connection.close()
            raise ServerError(f"{self._place} cannot be asked: {_reason(error)}") from error

    def _once(self, path: str, data: bytes) -> tuple[int, bytes]:
        """Send a request and read the answer."""
        # The time-out of a socket bounds each wait of it; this bounds their sum, which a server
        # that sends byte after byte could make as long as it likes.
        expired = threading.Event()
        watch = threading.Timer(self._timeout_s, self._hang_up, (expired,))
        watch.daemon = True
        watch.start()
        try:
            self._connection.request("POST", path, body=data, headers=self._headers)
            response = self._connection.getresponse()
            text = response.read(self._max_bytes + 1)
        except (http.client.HTTPException, OSError, ValueError) as error:
            if expired.is_set() or isinstance(error, TimeoutError):
                self._connection.close()
                raise self._too_late(path) from error
            if isinstance(
                error, (http.client.RemoteDisconnected, BrokenPipeError, ConnectionResetError)
            ):
                raise
            self._connection.close()
            raise ServerError(f"{self._place} cannot be asked: {_reason(error)}") from error
        finally:
            watch.cancel()
        if expired.is_set():
            self._connection.close()
            raise self._too_late(path)
        if len(text) > self._max_bytes:
            self._connection.close()
            raise ServerError(
                f"{self._place}{path} answers with more than {self._max_bytes} bytes; "
                "max_response_bytes= allows more"
            )
        return response.status, text

    def _hang_up(self, expired: threading.Event) -> None:
        """End a request from outside: what waits for the socket comes back at once."""
        expired.set()
        connected = self._connection.sock
        if connected is not None:
            with suppress(OSError):
                connected.shutdown(socket.SHUT_RDWR)

    def _too_late(self, path: str) -> ServerError:
        """Return the error of a request that took too long."""
        return ServerError(f"{self._place}{path} gave no answer in {self._timeout_s} s")


def _reason(error: Exception) -> str:
    """Return what went wrong, in a few words."""
    if isinstance(error, socket.gaierror):
        return "its name is not known"
    return str(error) or type(error).__name__


def _shown(data: bytes) -> str:
    """Return the beginning of an answer as one line."""
    text = " ".join(data[: 4 * _SHOWN].decode("utf-8", errors="replace").split())
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "..."
