"""Convert the arguments of a tool to an HTTP request. Pure: nothing is sent.

Values in paths, queries, headers and cookies are serialized by OpenAPI's `style` and `explode`:
https://spec.openapis.org/oas/v3.1.1#style-values, based on RFC 6570. Libraries for URI templates lack
deepObject, spaceDelimited and pipeDelimited, which RFC 6570 does not define.
"""

from __future__ import annotations

import base64
import binascii
import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any
from urllib.parse import quote, urlsplit

from toolgen.runtime.errors import InvalidRequestError, MissingDependencyError

from .media import FORM, MULTIPART, OCTETS, TOKEN, is_json

Pairs = list[tuple[str, str]]
Part = tuple[str, tuple[str | None, bytes, str]]
"""One part of a form: its name, then file name, content and media type."""

_DELIMITERS = {"form": ",", "spaceDelimited": "%20", "pipeDelimited": "%7C"}
_RESERVED = "/:?@!$'()*,;"  # characters that `allowReserved` leaves unescaped and that do not end the value


@dataclass(slots=True)
class PreparedRequest:
    """An HTTP request that has not been sent.

    `secrets` are redacted in errors. `credentials` are also redacted in results; they do not include user
    names and short secrets, which may occur in ordinary text.
    """

    method: str
    url: str = ""
    query: Pairs = field(default_factory=list)  # escaped
    headers: dict[str, str] = field(default_factory=dict)
    cookies: Pairs = field(default_factory=list)  # escaped
    content: bytes | None = None
    parts: list[Part] | None = None
    secrets: list[str] = field(default_factory=list)
    credentials: list[str] = field(default_factory=list)
    chosen_by_environment: bool = False  # the URL of the API comes from the environment

    def full_url(self) -> str:
        """Return the URL with its query."""
        query = "&".join(f"{key}={value}" for key, value in self.query)
        joint = "&" if "?" in self.url else "?"
        return f"{self.url}{joint}{query}" if query else self.url

    def all_headers(self) -> dict[str, str]:
        """Return the headers, with the cookies."""
        cookies = "; ".join(f"{key}={value}" for key, value in self.cookies)
        return {**self.headers, "Cookie": cookies} if cookies else self.headers


def prepare(operation: Mapping[str, Any], arguments: Mapping[str, Any]) -> PreparedRequest:
    """Return the request of `arguments`, as `operation`, the tool's `x-openapi`, describes it.

    Raises InvalidRequestError for a value that would change the target of the request, and for a method or
    header that HTTP cannot have; MissingDependencyError if neither the document nor the environment defines
    the server.
    """
    made = PreparedRequest(operation["method"])
    values = dict(arguments)
    path: str = operation["path"]
    for parameter in operation.get("parameters", ()):
        if parameter["argument"] in values:
            value = values.pop(parameter["argument"])
            path = _add_parameter(made, parameter, value, path=path)
    if "body" in operation:
        _add_body(made, operation["body"], values)
    base = base_url(operation)
    made.chosen_by_environment = bool(os.environ.get(operation["base_url"]))
    made.url = base + path.partition("#")[0]
    if origin_of(made.url) != origin_of(base):  # a path such as `.example.com` would extend the host name
        raise InvalidRequestError(
            f"The path {operation['path']!r} leads to another host than {origin_of(base)}."
        )
    if operation.get("accept"):
        made.headers.setdefault("Accept", operation["accept"])
    if not all(map(TOKEN.fullmatch, (made.method, *made.headers))):
        raise InvalidRequestError("The tool's specification names a method or header that HTTP cannot have.")
    return made


def base_url(operation: Mapping[str, Any]) -> str:
    """Return the URL of the API: from the environment, or else from the document."""
    name = operation["base_url"]
    url = (os.environ.get(name) or operation.get("server", "")).rstrip("/")
    try:
        parts = urlsplit(url)
        is_usable = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
        if is_usable and not (parts.query or parts.fragment):
            return url
    except ValueError:  # a port that is not a number
        pass
    fault = "is not an http or https URL" if url else "is not set, and the API's document names no server"
    raise MissingDependencyError(f"The environment variable {name} {fault}.", details={"name": name})


def origin_of(url: str) -> str:
    """Return scheme, host and port of a URL; an empty string if it is not valid."""
    try:
        parts = urlsplit(url)
        host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
        return f"{parts.scheme}://{host}" + (f":{parts.port}" if parts.port else "")
    except ValueError:
        return ""


def _add_parameter(made: PreparedRequest, parameter: Mapping[str, Any], value: Any, *, path: str) -> str:
    """Add one value to the request. Return the path, with the value if it is a path parameter."""
    name, place = parameter["name"], parameter["in"]
    if place == "path":
        return path.replace("{" + name + "}", in_path(name, value, parameter))
    if place == "query":
        made.query += in_query(name, value, parameter)
    elif place == "querystring":
        whole = value if isinstance(value, dict) else {text_of(value): ""}
        made.query += [pair for key, inner in whole.items() for pair in in_query(key, inner, {})]
    elif place == "cookie":
        made.cookies += in_query(name, value, parameter)
    elif value is not None:
        made.headers[name] = in_header(name, value, parameter)
    return path


def _add_body(made: PreparedRequest, operation: Mapping[str, Any], values: dict[str, Any]) -> None:
    """Add the body: one of the arguments, or all that are not parameters."""
    if "argument" in operation:
        if operation["argument"] not in values:
            return
        body = values[operation["argument"]]
    else:
        body = values
        if not body and not operation.get("required"):
            return
    filenames: dict[str, Any] = {}  # by property
    if isinstance(body, dict):
        names, of_files = operation.get("fields", {}), operation.get("filenames", {})
        filenames = {name: body[argument] for name, argument in of_files.items() if argument in body}
        body = {
            names.get(argument, argument): value
            for argument, value in body.items()
            if argument not in of_files.values()
        }
    media_type: str = operation["media_type"]
    if isinstance(body, dict) and not any(body.get(name) for name in operation.get("binary", ())):
        # a form has no null, and no object of its own
        media_type = operation.get("without_files", media_type)
    if media_type.startswith(MULTIPART):
        made.parts = _form_parts(body, operation, filenames)
        return
    if "*" in media_type:
        media_type = _type_of_file(_decoded("body", body), media_type)
    made.headers["Content-Type"] = media_type
    if media_type.startswith(FORM):
        made.content = _form(body, operation).encode()
    elif operation.get("binary") == [""]:  # the whole body
        made.content = _decoded("body", body)
    elif isinstance(body, str) and not is_json(media_type):
        made.content = body.encode()
    else:
        made.content = json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()


def _form(body: Any, operation: Mapping[str, Any]) -> str:
    if not isinstance(body, dict):
        return quote(text_of(body), safe="&=+%")
    pairs = [
        pair
        for name, value in body.items()
        for pair in in_query(name, value, _style(_encoding(operation, name), value))
    ]
    return "&".join(f"{key}={value}" for key, value in pairs)


def _encoding(operation: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """Return the encoding of one field of a form, which is as the API's document has it."""
    given = operation.get("encoding", {}).get(name)
    return given if isinstance(given, dict) else {}


def _style(encoding: Mapping[str, Any], value: Any) -> Mapping[str, Any]:
    """Return the style of one field of a form: that of its encoding; by default, objects are JSON."""
    if style := {key: encoding[key] for key in ("style", "explode") if key in encoding}:
        return style
    items = value if isinstance(value, list) else [value]
    is_nested = any(isinstance(item, dict | list) for item in items)
    return {"media_type": "application/json"} if is_nested else {}


def _form_parts(body: Any, operation: Mapping[str, Any], filenames: Mapping[str, Any]) -> list[Part]:
    """Return the parts of a multipart form: files decoded, objects as JSON, one part for each list item.

    A file without a name has that of its property.
    """
    fields = body if isinstance(body, dict) else {"body": body}
    made: list[Part] = []
    for name, value in fields.items():
        wanted = str(_encoding(operation, name).get("contentType", ""))
        kind = wanted.partition(",")[0].strip()
        listed = filenames.get(name, [])
        names = listed if isinstance(listed, list) else [listed]
        for index, item in enumerate(value if isinstance(value, list) else [value]):
            # null is not sent: a form has no word for it
            if item is None:
                continue
            if name in operation.get("binary", ()):
                content, filename = _decoded(name, item), names[index] if index < len(names) else None
                made.append((name, (filename or name, content, _type_of_file(content, wanted, filename))))
            else:
                usual = "application/json" if isinstance(item, dict | list) else "text/plain; charset=utf-8"
                made.append((name, (None, text_of(item).encode(), kind or usual)))
    return made


def _type_of_file(content: bytes, wanted: str, filename: str | None = None) -> str:
    """Return the media type of a file: one of `wanted`, a list of types and ranges, that it may have."""
    # only uploads need it
    from toolgen.runtime.content.media_type import MediaTypeError, media_type_of

    types = [each.strip() for each in wanted.split(",") if each.strip()]
    try:
        found = media_type_of("file", content, name=filename, declared=types)
    except MediaTypeError:
        found = OCTETS
    if not types or any(fnmatchcase(found, each) for each in types):
        return found
    return next((each for each in types if "*" not in each), OCTETS)


def _decoded(name: str, value: Any) -> bytes:
    try:
        return base64.b64decode(value, validate=True)
    except (binascii.Error, TypeError, ValueError):
        raise InvalidRequestError(f"{name!r} is a file, and must be in base64.") from None


def text_of(value: Any) -> str:
    """Return a string as it is, any other value as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def in_path(name: str, value: Any, options: Mapping[str, Any]) -> str:
    """Return the text for `{name}` in a path, escaped so that it stays within its segment."""
    if "media_type" in options:
        value = text_of(value)
    for text in _texts(value):
        # RFC 3986, section 5.2.4: such segments would leave the path, even if they are escaped
        if any(part in (".", "..") for part in re.split(r"[/\\]", text)):
            raise InvalidRequestError(f"{name!r} must not contain the path {text!r}.")
    text = _in_path(name, value, options)
    if value in ("", [], {}) or not text:
        raise InvalidRequestError(f"{name!r} is part of the path and must not be empty.")
    if text in (".", ".."):  # the label of empty texts
        raise InvalidRequestError(f"{name!r} must not become the path {text!r}.")
    return text


def _in_path(name: str, value: Any, options: Mapping[str, Any]) -> str:
    safe = _RESERVED.replace("?", "") if options.get("allow_reserved") else ""
    style, explode = options.get("style", "simple"), bool(options.get("explode"))
    parts = _parts(value, explode, safe)
    if style == "matrix":
        if explode and isinstance(value, dict):
            return "".join(f";{part}" for part in parts)
        key = quote(name, safe="")
        return "".join(f";{key}={part}" for part in (parts if explode else [",".join(parts)]))
    prefix = "." if style == "label" else ""
    return prefix + (prefix if prefix and explode else ",").join(parts)


def in_query(name: str, value: Any, options: Mapping[str, Any]) -> Pairs:
    """Return escaped pairs of a query, or of a `Cookie` header; null is not sent."""
    if value is None:
        return []
    safe = _RESERVED if options.get("allow_reserved") else ""
    key, style = quote(name, safe=""), options.get("style", "form")
    if "media_type" in options:
        return [(key, quote(text_of(value), safe=safe))]
    if style == "deepObject":
        return [(quote(path, safe=""), quote(text, safe=safe)) for path, text in _deep(name, value)]
    if options.get("explode", style == "form"):
        if isinstance(value, dict):
            return [(quote(inner, safe=""), quote(text_of(item), safe=safe)) for inner, item in value.items()]
        if isinstance(value, list):
            return [(key, quote(text_of(item), safe=safe)) for item in value]
    return [(key, _DELIMITERS.get(style, ",").join(_parts(value, False, safe)))]


def in_header(name: str, value: Any, options: Mapping[str, Any]) -> str:
    """Return the value of a header. Raises InvalidRequestError if it would start another header."""
    if "media_type" in options:
        value = json.dumps(value)
    is_exploded = options.get("explode") and isinstance(value, dict)
    parts = [f"{key}={text_of(item)}" for key, item in value.items()] if is_exploded else _texts(value)
    text = ",".join(parts)
    if any(ord(character) < 32 or ord(character) == 127 for character in text):
        raise InvalidRequestError(f"{name!r} becomes a header and must not contain control characters.")
    return text


def _texts(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [text_of(item) for pair in value.items() for item in pair]
    return [text_of(item) for item in value] if isinstance(value, list) else [text_of(value)]


def _parts(value: Any, explode: bool, safe: str) -> list[str]:
    """Return the parts to join: items of a list; keys and values of an object, or with `explode` pairs."""
    if isinstance(value, dict) and explode:
        return [f"{quote(key, safe='')}={quote(text_of(item), safe=safe)}" for key, item in value.items()]
    return [quote(text, safe=safe) for text in _texts(value)]


def _deep(path: str, value: Any) -> Pairs:
    """Return pairs such as `filter[name]=x`; for lists `tags[]=x`, or `items[0][name]=x` if nested."""
    if isinstance(value, dict):
        return [pair for key, item in value.items() for pair in _deep(f"{path}[{key}]", item)]
    if isinstance(value, list):
        is_flat = not any(isinstance(item, dict | list) for item in value)
        return [
            pair
            for index, item in enumerate(value)
            for pair in _deep(f"{path}[]" if is_flat else f"{path}[{index}]", item)
        ]
    return [] if value is None else [(path, text_of(value))]
