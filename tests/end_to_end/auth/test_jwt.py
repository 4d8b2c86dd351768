"""JWTs: only tokens that the issuer signed for this server, and that are valid now, are accepted."""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx2
import jwt
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa

from tests.end_to_end.project import ERAS, HttpServer, Project, bearer, error_code, text_of
from tests.end_to_end.raw_http import connect
from tests.http_server import QuietHandler, serve

from .test_scopes import names, shop

__all__ = ["shop"]

AUDIENCE = "https://tools.example.com/mcp"
RSA, OTHER = (rsa.generate_private_key(65537, 2048) for _ in range(2))
EC = ec.generate_private_key(ec.SECP256R1())
PEM = RSA.public_key().public_bytes(
    serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
)


def key_of(private: Any, kid: str) -> dict[str, Any]:
    algorithm = jwt.algorithms.RSAAlgorithm if private is not EC else jwt.algorithms.ECAlgorithm
    return {**json.loads(algorithm.to_jwk(private.public_key())), "kid": kid, "use": "sig"}


class Issuer:
    """An authorization server on loopback; tests change `answers` while it runs."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.asked: list[str] = []
        self.answers: dict[str, Any] = {
            "/keys": {
                "keys": [key_of(RSA, "one"), key_of(EC, "two"), {"kty": "oct", "k": "AAAA", "kid": "s"}]
            },
            "/.well-known/openid-configuration": {"issuer": url, "jwks_uri": f"{url}/keys"},
        }

    def token(self, key: Any = RSA, algorithm: str = "RS256", kid: str | None = "one", **claims: Any) -> str:
        now = int(time.time())
        all_claims = {
            "iss": self.url, "aud": AUDIENCE, "exp": now + 300, "sub": "ada", "scope": "orders:read", **claims,
        }  # fmt: skip
        given = {name: value for name, value in all_claims.items() if value is not None}
        return jwt.encode(given, key, algorithm, headers=None if kid is None else {"kid": kid})


@pytest.fixture
def issuer() -> Iterator[Issuer]:
    with issuing() as made:
        yield made


@contextmanager
def issuing() -> Iterator[Issuer]:
    class Handler(QuietHandler):
        def do_GET(self) -> None:
            made.asked.append(self.path)
            found = made.answers.get(self.path)
            self.reply(found, 404 if found is None else 200)

    with serve(Handler) as url:
        made = Issuer(url)
        yield made


def flags(issuer: Issuer, *more: str) -> tuple[str, ...]:
    return ("--auth-issuer", issuer.url, "--auth-audience", AUDIENCE, *more)


async def status(server: HttpServer, token: str) -> int:
    async with connect(server.url) as connection:
        connection.headers = bearer(token)
        return (await connection.ask("tools/list")).status


@ERAS
async def test_a_client_with_a_token_of_the_issuer(shop: Project, issuer: Issuer, era: str) -> None:
    async with shop.server(*flags(issuer)) as server:
        async with server.client(era, issuer.token()) as client:
            assert await names(client) == ["echo", "who"]
            assert text_of(await client.call_tool("who", {})) == "ada"
            assert error_code(await client.call_tool("wipe", {"disk": "a"})) == "insufficient_scope"
        token = issuer.token(EC, "ES256", "two", sub="bob", scope=None, scp=["orders:read", "disks:write"])
        async with server.client(era, token) as client:
            assert await names(client) == ["echo", "who", "wipe"]
            assert text_of(await client.call_tool("who", {})) == "bob"
        assert issuer.asked.count("/keys") == 1


def unsigned(claims: dict[str, Any], **header: Any) -> str:
    parts = (json.dumps(part).encode() for part in ({"alg": "none", "kid": "one", **header}, claims))
    return ".".join(base64.urlsafe_b64encode(part).decode().rstrip("=") for part in parts) + "."


def with_public_key(token: str) -> str:
    """Sign a token with the published key as a shared secret, a classic attack."""
    import hashlib
    import hmac

    claims = token.split(".")[1]
    header = base64.urlsafe_b64encode(b'{"alg":"HS256","kid":"one"}').decode().rstrip("=")
    signature = hmac.new(PEM, f"{header}.{claims}".encode(), hashlib.sha256).digest()
    return f"{header}.{claims}.{base64.urlsafe_b64encode(signature).decode().rstrip('=')}"


async def test_invalid_tokens_are_refused(shop: Project, issuer: Issuer) -> None:
    now = int(time.time())
    good = issuer.token()
    claims = jwt.decode(good, options={"verify_signature": False})
    head, body, signature = good.split(".")
    forged = body[:-4] + ("AAAA" if body[-4:] != "AAAA" else "BBBB")
    tokens = {
        "none": unsigned(claims),
        "public key as secret": with_public_key(good),
        "symmetric": jwt.encode(claims, b"\0" * 32, "HS256", headers={"kid": "s"}),
        "another audience": issuer.token(aud="https://else.example.com/mcp"),
        "no audience": issuer.token(aud=None),
        "another issuer": issuer.token(iss="https://else.example.com"),
        "expired": issuer.token(exp=now - 120),
        "never expires": issuer.token(exp=None),
        "not yet": issuer.token(nbf=now + 300),
        "another key": issuer.token(OTHER),
        "key of another type": issuer.token(EC, "ES256", "one"),
        "unknown key": issuer.token(OTHER, kid="three"),
        "nobody": issuer.token(sub=None),
        "odd scopes": issuer.token(scope={"a": 1}),
        "critical": jwt.encode(claims, RSA, "RS256", headers={"kid": "one", "crit": ["b64"], "b64": True}),
        "own key": jwt.encode(claims, OTHER, "RS256", headers={"jwk": key_of(OTHER, "x"), "jku": issuer.url}),
        "changed": f"{head}.{forged}.{signature}",
        "no signature": f"{head}.{body}.",
        "long": good + "A" * 20_000,
    }

    async with shop.server(*flags(issuer, "--auth-jwks", f"{issuer.url}/keys")) as server:
        assert await status(server, good) == 200
        for label, token in tokens.items():
            assert await status(server, token) == 401, label
        assert await status(server, good) == 200
        assert issuer.asked.count("/keys") <= 2  # even if each token names another key
    log = server.log
    assert "Traceback" not in log
    assert good not in log


@pytest.mark.slow
@pytest.mark.parametrize("answer", [None, b"no JSON", {"keys": {}}, b" " * 300_000, []], ids=range(5))
async def test_without_keys_every_request_is_refused(shop: Project, issuer: Issuer, answer: Any) -> None:
    issuer.answers["/keys"] = answer
    async with shop.server(*flags(issuer)) as server:
        async with connect(server.url) as connection:
            connection.headers = bearer(issuer.token())
            refused = await connection.ask("tools/list")
            assert (refused.status, refused.headers["retry-after"]) == (503, "10")
        assert await status(server, "x") == 401


async def test_metadata_of_the_protected_resource(shop: Project, issuer: Issuer) -> None:
    async with shop.server(*flags(issuer)) as server, httpx2.AsyncClient() as http:
        refused = await http.post(server.url)
        where = "https://tools.example.com/.well-known/oauth-protected-resource/mcp"
        assert f'resource_metadata="{where}"' in refused.headers["www-authenticate"]
        local = server.url.replace("/mcp", "/.well-known/oauth-protected-resource/mcp")
        said = (await http.get(local)).json()
        assert said["resource"] == AUDIENCE
        assert said["authorization_servers"] == [issuer.url]
        assert said["scopes_supported"] == ["disks:write", "orders:read"]
        assert (await http.post(local)).status_code == 401


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (["--auth-issuer", "https://a.example"], "both"),
        (["--auth-issuer", "http://a.example", "--auth-audience", "x"], "https"),
        (["--auth-issuer", "https://a.example", "--auth-audience", "x", "--auth-jwks", "file:///x"], "https"),
        (["--auth-issuer", "https://a.example", "--auth-tokens", "x"], "exclude"),
    ],
)
def test_contradictory_settings_are_refused(shop: Project, flags: list[str], said: str) -> None:
    done = shop.python("-m", "generated.mcp_server", "--http", "--port", "0", *flags)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert said in done.stderr
