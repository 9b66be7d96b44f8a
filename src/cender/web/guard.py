"""Who may talk to the server, and how much they may say: Host, Origin, token, size, and the headers of every answer."""

import hmac
import ipaddress
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from http.cookies import SimpleCookie
from typing import Any
from urllib.parse import parse_qs, urlencode

from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LARGEST_BODY = 4_000_000
"""Room for two identities that change places in 20,000 volumes."""
COOKIE = "cender-token"
"""Cookie that carries the token of a page."""
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
    "font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


@dataclass(frozen=True, slots=True)
class Rules:
    """Names by which the server may be called, and the token that every request must carry (none on loopback)."""

    hosts: frozenset[str]
    token: str | None = None

    @classmethod
    def build(cls, host: str, token: str | None) -> "Rules":
        """The rules for a server that listens on ``host``."""
        names = {"localhost", "127.0.0.1", "::1", host.lower()}
        if not is_loopback(host):
            names |= {socket.gethostname().lower(), socket.getfqdn().lower()}
        return cls(frozenset(names), token)

    def allows_host(self, header: str) -> bool:
        """Whether a Host header names this server; with a token any plain address does as well.

        A name that an attacker controls may lead to this computer (DNS rebinding), an address cannot.
        """
        name = split_port(header)
        return name in self.hosts or (self.token is not None and _is_address(name))


def is_loopback(host: str) -> bool:
    """Whether only this computer can reach an address."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def split_port(header: str) -> str:
    """The host of a Host header without its port, in lower case."""
    if header.startswith("["):
        return header[1:].partition("]")[0].lower()
    return header.rpartition(":")[0].lower() if header.count(":") == 1 else header.lower()


@dataclass(slots=True)
class Guard:
    """The outermost layer of the application: refuses what should not come in, and marks what goes out."""

    app: ASGIApp
    rules: Rules

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, or refuse it."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            return
        headers = {key.decode("latin-1").lower(): value.decode("latin-1") for key, value in scope["headers"]}
        sending = _mark(send)
        refusal = self._refuse(scope, headers)
        if refusal is not None:
            await refusal(scope, receive, sending)
            return
        body = await _read_body(receive)
        if body is None:
            await _say(413, f"a message may have {LARGEST_BODY} bytes at most")(scope, receive, sending)
            return
        await self.app(scope, _replay(body, receive), sending)

    def _refuse(self, scope: Scope, headers: Mapping[str, str]) -> Response | None:
        host, origin = headers.get("host", ""), headers.get("origin")
        if not self.rules.allows_host(host):
            return _say(421, "this server is not known by that name")
        if origin is not None and origin.partition("://")[2].lower() != host.lower():
            return _say(403, "requests come only from the page of this server")
        foreign = headers.get("sec-fetch-site", "same-origin") in ("cross-site", "same-site")
        if foreign and (scope["method"], scope["path"]) != ("GET", "/"):
            return _say(403, "requests come only from the page of this server")
        if self.rules.token is None:
            return None
        return self._ask_token(scope, headers, self.rules.token)

    def _ask_token(self, scope: Scope, headers: Mapping[str, str], token: str) -> Response | None:
        """Take the token from the address once and keep it in a cookie that no script can read."""
        query = parse_qs(scope["query_string"].decode("latin-1"))
        if scope["path"] == "/" and scope["method"] == "GET" and "token" in query:
            if not _same(query.pop("token")[0], token):
                return _say(401, "the token is wrong")
            rest = urlencode(query, doseq=True)
            answer = RedirectResponse(f"/?{rest}" if rest else "/", 303)
            answer.set_cookie(COOKIE, token, httponly=True, samesite="strict", path="/")
            return answer
        scheme, _, bearer = headers.get("authorization", "").partition(" ")
        cookies: SimpleCookie = SimpleCookie(headers.get("cookie", ""))
        given = bearer if scheme.lower() == "bearer" else cookies[COOKIE].value if COOKIE in cookies else ""
        return (
            None if _same(given, token) else _say(401, "open the address with its token, as `cender annotate` says it")
        )


def _same(given: str, token: str) -> bool:
    return hmac.compare_digest(given.encode(), token.encode())


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _say(status: int, words: str) -> JSONResponse:
    return JSONResponse({"detail": words}, status)


def _mark(send: Send) -> Send:
    async def marked(message: Message) -> None:
        if message["type"] == "http.response.start":
            known = {key.lower() for key, _ in message.get("headers", [])}
            added = [(k.lower().encode(), v.encode()) for k, v in HEADERS.items() if k.lower().encode() not in known]
            if b"cache-control" not in known:
                added.append((b"cache-control", b"no-store"))
            message = {**message, "headers": [*message.get("headers", []), *added]}
        await send(message)

    return marked


async def _read_body(receive: Receive) -> bytes | None:
    body, more = b"", True
    while more:
        message = await receive()
        if message["type"] != "http.request":
            break
        body += message.get("body", b"")
        more = message.get("more_body", False)
        if len(body) > LARGEST_BODY:
            return None
    return body


def _replay(body: bytes, receive: Receive) -> Receive:
    told = False

    async def replayed() -> Any:
        nonlocal told
        if told:
            return await receive()
        told = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replayed
