"""From a document to the requests that a server receives: import, generate, call."""

from __future__ import annotations

import base64
import logging
from collections.abc import Callable
from typing import Any

import pytest

from tests.importers.openapi.conftest import Api, Call, document
from tests.samples import load_beside

Made = Callable[..., Call]
OBJECT = {"content": {"application/json": {"schema": {"type": "object"}}}, "description": "OK"}


def operation(**more: Any) -> dict[str, Any]:
    return {"operationId": "do", "summary": "Do it", "responses": {"200": OBJECT}, **more}


def parameter(name: str, where: str, schema: Any = None, **more: Any) -> dict[str, Any]:
    return {
        "name": name,
        "in": where,
        "required": where == "path",
        "schema": schema or {"type": "string"},
        **more,
    }


@pytest.mark.parametrize("value", ["..", "", "../../admin"])
def test_a_value_cannot_leave_its_path_segment(called: Made, api: Api, value: str) -> None:
    call = called(document({"/things/{id}/parts": {"get": operation(parameters=[parameter("id", "path")])}}))
    response = call("do", {"id": value})
    assert response.error is not None
    assert response.error.code == "invalid_request"
    assert not api.requests


def test_a_value_cannot_add_a_header(called: Made, api: Api) -> None:
    call = called(document({"/": {"get": operation(parameters=[parameter("X-A", "header")])}}))
    response = call("do", {"X-A": "a\r\nX-B: b"})
    assert response.error is not None
    assert response.error.code == "invalid_request"
    assert not api.requests
    assert call("do", {"X-A": "é"}).success


def test_declared_errors(called: Made, api: Api) -> None:
    responses = {
        "200": OBJECT,
        "404": {"description": "No such thing."},
        "429": {"description": "Slow down."},
        "5XX": {"description": "Ours."},
    }
    call = called(document({"/": {"get": operation(responses=responses)}}))
    errors = []
    for status in (404, 429, 503, 418):
        api.answer(
            status, {"error": {"message": f"m{status}"}}, **({"Retry-After": "30"} if status == 429 else {})
        )
        error = call("do").error
        assert error is not None
        errors.append((error.code, error.retryable, error.message))
        assert error.details["status"] == status
        assert error.retry_after == (30 if status == 429 else None)
        assert error.details["body"] == {"error": {"message": f"m{status}"}}
    assert errors == [
        ("not_found", False, "The API answered 404 Not Found: m404."),
        ("too_many_requests", True, "The API answered 429 Too Many Requests: m429. Retry after 30 seconds."),
        ("server_error", True, "The API answered 503 Service Unavailable: m503."),
        ("http_error", False, "The API answered 418 I'm a Teapot: m418."),
    ]


def test_responses_of_every_kind_are_returned(called: Made, api: Api) -> None:
    def answers(**content: Any) -> dict[str, Any]:
        return (
            {"200": {"description": "OK", "content": content}}
            if content
            else {"204": {"description": "Gone"}}
        )

    kinds = {
        "list": answers(**{"application/json": {"schema": {"type": "array", "items": {"type": "integer"}}}}),
        "text": answers(**{"text/csv": {}}),
        "file": answers(**{"application/pdf": {}}),
        "nothing": answers(),
    }
    paths = {
        f"/{name}": {"get": operation(operationId=name, responses=given)} for name, given in kinds.items()
    }
    call = called(document(paths))
    api.answer(200, [1, 2])
    assert call("list").content == {"result": [1, 2]}
    api.answers.append((200, {"Content-Type": "text/csv; charset=latin-1"}, b"a;\xe9"))
    assert call("text").content == {"result": "a;é"}
    for odd in ("punycode", "idna", "unicode_escape", "rot13", "base64", "nonsense"):  # read as UTF-8
        api.answers.append((200, {"Content-Type": f"text/csv; charset={odd}"}, "a-é".encode()))
        assert call("text").content == {"result": "a-é"}
    api.answers.append((200, {"Content-Type": "application/pdf"}, b"%PDF"))
    assert call("file").content == {
        "media_type": "application/pdf",
        "base64": base64.b64encode(b"%PDF").decode(),
    }
    api.answer(204)
    assert call("nothing").content == {"status": 204}
    api.answer(200, ["no integer"])
    assert call("list").error.code == "invalid_response"  # type: ignore[union-attr]
    api.answers.append((200, {"Content-Type": "text/html"}, b"<p>"))
    assert "not JSON" in call("list").error.message  # type: ignore[union-attr]


SCHEMES = {
    "key": {"type": "apiKey", "in": "header", "name": "X-Key"},
    "query": {"type": "apiKey", "in": "query", "name": "key"},
    "cookie": {"type": "apiKey", "in": "cookie", "name": "sid"},
    "bearer": {"type": "http", "scheme": "bearer"},
    "basic": {"type": "http", "scheme": "basic"},
    "oauth": {
        "type": "oauth2",
        "flows": {"clientCredentials": {"tokenUrl": "https://x/", "scopes": {"r": ""}}},
    },
}


@pytest.mark.parametrize(("scheme", "variables", "sent"), load_beside(__file__, "calls.yaml"))
def test_security(
    called: Made, api: Api, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture,
    scheme: str, variables: dict[str, str], sent: dict[str, str],
) -> None:  # fmt: skip
    made = operation(security=[{scheme: ["r"] if scheme == "oauth" else []}])
    call = called(document({"/": {"get": made}}, components={"securitySchemes": SCHEMES}))
    response = call("do")
    assert response.error is not None
    assert response.error.code == "missing_dependency"
    assert not api.requests
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    caplog.set_level(logging.DEBUG)
    api.answer(500, {"message": "you sent s3cret and dTpzM2NyZXQ="})
    error = call("do").error
    assert error is not None
    assert "s3cret" not in repr(error.as_dict())
    assert scheme != "basic" or "dTpzM2NyZXQ=" not in repr(error.as_dict())
    assert "s3cret" not in caplog.text
    assert {name: api.last.headers.get(name) for name in sent} == sent
    assert api.last.target == ("/?key=s3cret" if scheme == "query" else "/")


def test_optional_security_is_sent_if_it_is_set(
    called: Made, api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = operation(security=[{}, {"bearer": []}])
    call = called(document({"/": {"get": made}}, components={"securitySchemes": SCHEMES}))
    assert call("do").success
    assert "authorization" not in api.last.headers
    monkeypatch.setenv("APP_SHOP_BEARER_TOKEN", "t0ken-t0ken")
    api.answer(400, {"message": "bad t0ken-t0ken"})
    assert "t0ken" not in str(call("do").error)
    assert api.last.headers["authorization"] == "Bearer t0ken-t0ken"


def test_a_server_that_does_not_answer_is_unreachable(
    called: Made, api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    call = called(document({"/": {"get": operation()}}))
    monkeypatch.setenv("APP_SHOP_BASE_URL", "http://127.0.0.1:9")
    error = call("do").error
    assert error is not None
    assert (error.code, error.retryable) == ("unreachable", True)
    assert error.message == "http://127.0.0.1:9 cannot be reached: no connection."
    monkeypatch.setenv("APP_SHOP_BASE_URL", "file:///etc/passwd")
    assert call("do").error.code == "missing_dependency"  # type: ignore[union-attr]


def test_redirects_are_followed_within_the_origin_only(called: Made, api: Api) -> None:
    call = called(document({"/": {"get": operation(), "post": operation(operationId="post")}}))
    api.answer(302, Location="/elsewhere")
    assert call("do").success
    assert [request.target for request in api.requests] == ["/", "/elsewhere"]
    api.answer(302, Location="http://127.0.0.2:1/")
    assert "redirects to another address" in call("do").error.message  # type: ignore[union-attr]
    api.answer(307, Location="/elsewhere")
    assert call("post").error.details["status"] == 307  # type: ignore[union-attr, index]
    for _ in range(9):
        api.answer(302, Location="/again")
    assert call("do").error.code == "unreachable"  # type: ignore[union-attr]


def test_a_response_that_is_too_long_is_refused(called: Made, api: Api) -> None:
    call = called(document({"/": {"get": operation()}}))
    api.answers.append((200, {"Content-Type": "application/json"}, b" " * (21 * 1024 * 1024)))
    assert "more than 20 MB" in call("do").error.message  # type: ignore[union-attr]


def test_querystring_parameters_are_sent(called: Made, api: Api) -> None:
    whole = {
        "name": "q",
        "in": "querystring",
        "content": {"application/x-www-form-urlencoded": {"schema": {"type": "object"}}},
    }
    call = called(document({"/search": {"query": operation(parameters=[whole])}}, "3.2.0"))
    assert call("do", {"q": {"a": "x y", "b": [1, 2]}}).success
    assert (api.last.method, api.last.target) == ("QUERY", "/search?a=x%20y&b=1&b=2")
