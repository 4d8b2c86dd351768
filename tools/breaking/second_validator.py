"""A second opinion on witnesses: jsonschema, another implementation of both drafts."""

from __future__ import annotations

import base64
import enum
import functools
import json
import re
from collections.abc import Iterator
from typing import Any, Final

from jsonschema import (  # type: ignore[import-untyped]
    Draft7Validator,
    Draft202012Validator,
)
from jsonschema.exceptions import UnknownType, ValidationError  # type: ignore[import-untyped]
from jsonschema.validators import extend  # type: ignore[import-untyped]
from referencing.exceptions import Unresolvable
from toolgen.schema.document import Draft, Schema, draft_of, subschemas
from toolgen.schema.patterns import translate_pattern


class Opinion(enum.Enum):
    """What the second validator says to a witness."""

    AGREES = "agrees"
    DISAGREES = "disagrees"
    CANNOT = "cannot judge"
    """The pattern is one that Python's `re` does not read."""


def _content_encoding(validator: Any, encoding: Any, text: Any, schema: Any) -> Iterator[ValidationError]:
    alphabets = {"base64": None, "base64url": b"-_"}
    if encoding in alphabets and isinstance(text, str) and not _is_base64(text, alphabets[encoding]):
        yield ValidationError(f"{text!r} is not {encoding}")


def _content_media_type(validator: Any, media_type: Any, text: Any, schema: Any) -> Iterator[ValidationError]:
    if media_type != "application/json" or not isinstance(text, str):
        return
    if schema.get("contentEncoding") == "base64" and _is_base64(text):
        text = base64.b64decode(text).decode("utf-8", "replace")
    try:
        json.loads(text)
    except ValueError:
        yield ValidationError(f"{text!r} is not JSON")


def _is_base64(text: str, alphabet: bytes | None = None) -> bool:
    try:
        base64.b64decode(text, altchars=alphabet, validate=True)
    except ValueError:
        return False
    return True


# jsonschema leaves these to applications; the runtime's validator asserts them
_DRAFTS: Final = {
    Draft.DRAFT_7: extend(
        Draft7Validator, {"contentEncoding": _content_encoding, "contentMediaType": _content_media_type}
    ),
    Draft.DRAFT_2020_12: extend(
        Draft202012Validator, {"dependencies": Draft7Validator.VALIDATORS["dependencies"]}
    ),
}


def opinion_on(witness: Any, *, narrow: Schema, wide: Schema) -> Opinion:
    """Compare: `narrow` accepts `witness`, and `wide` refuses it."""
    try:
        accepts, refuses = _accepts(narrow, witness), not _accepts(wide, witness)
    except (re.error, UnknownType, Unresolvable, RecursionError, OverflowError, ValueError):
        return Opinion.CANNOT
    return Opinion.AGREES if accepts and refuses else Opinion.DISAGREES


def _accepts(schema: Schema, value: Any) -> bool:
    return bool(_validator(json.dumps(schema)).is_valid(value))


@functools.lru_cache(maxsize=64)
def _validator(text: str) -> Any:
    schema = json.loads(text)
    draft = draft_of(schema) or Draft.DRAFT_2020_12
    return _DRAFTS[draft](_for_python(schema), format_checker=_DRAFTS[draft].FORMAT_CHECKER)


def _for_python(schema: Any) -> Any:
    """Write patterns as Python reads them: `\\d` and `$` as in ECMA-262."""
    for _, node in subschemas(schema):
        if isinstance(pattern := node.get("pattern"), str):
            node["pattern"] = _python_pattern(pattern)  # type: ignore[index]
        if isinstance(by_pattern := node.get("patternProperties"), dict):
            node["patternProperties"] = {  # type: ignore[index]
                _python_pattern(pattern): inner for pattern, inner in by_pattern.items()
            }
    return schema


def _python_pattern(pattern: str) -> str:
    translated = translate_pattern(pattern)
    return re.sub(r"(?<!\\)\$", r"\\Z", translated.replace(r"\d", "[0-9]"))
