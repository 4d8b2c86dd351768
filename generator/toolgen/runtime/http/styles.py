"""Serialize values in paths, queries, headers and cookies by OpenAPI's `style` and `explode`. Pure.

https://spec.openapis.org/oas/v3.1.1#style-values, based on RFC 6570. Libraries for URI templates lack
deepObject, spaceDelimited and pipeDelimited, which RFC 6570 does not define.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from toolgen.runtime.errors import InvalidRequestError

Pairs = list[tuple[str, str]]

_DELIMITERS = {"form": ",", "spaceDelimited": "%20", "pipeDelimited": "%7C"}
_RESERVED = "/:?@!$'()*,;"  # characters that `allowReserved` leaves unescaped and that do not end the value


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
    if style == "matrix":
        return _matrix(quote(name, safe=""), value, explode, safe)
    prefix = "." if style == "label" else ""
    return prefix + (prefix if prefix and explode else ",").join(_parts(value, explode, safe))


def _matrix(name: str, value: Any, explode: bool, safe: str) -> str:
    if explode and isinstance(value, dict):
        return "".join(f";{part}" for part in _parts(value, True, safe))
    if explode and isinstance(value, list):
        return "".join(f";{name}={part}" for part in _parts(value, True, safe))
    return f";{name}={','.join(_parts(value, False, safe))}"


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
    explode = bool(options.get("explode"))
    if isinstance(value, dict):
        parts = [
            f"{key}={text_of(item)}" if explode else f"{key},{text_of(item)}" for key, item in value.items()
        ]
    else:
        parts = [text_of(item) for item in value] if isinstance(value, list) else [text_of(value)]
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
