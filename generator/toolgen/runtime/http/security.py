"""Secrets put where the API wants them. They come from the environment, at the last moment."""

from __future__ import annotations

import base64
import os
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

from toolgen.runtime.errors import MissingDependencyError

from .request import Prepared


def secure(request: Prepared, schemes: Sequence[Mapping[str, Any]]) -> None:
    """Add what each of `schemes` asks for; one whose variables are not set is left out.

    That a secret must be there is said by the spec's `auth.secrets`, and checked before the tool runs.
    Raises MissingDependencyError for one that cannot stand in a header.
    """
    for scheme in schemes:
        names = [scheme[key] for key in ("secret", "username", "password") if key in scheme]
        values = [os.environ.get(name, "") for name in names]
        if not any(values):
            continue
        for name, value in zip(names, values, strict=True):
            if not value.isprintable() or not value.isascii():
                raise MissingDependencyError(
                    f"The environment variable {name} holds what no header can.", details={"name": name}
                )
        request.secrets += [value for value in values if value]
        _add(request, scheme, values)


def _add(request: Prepared, scheme: Mapping[str, Any], values: list[str]) -> None:
    kind, name = scheme["type"], scheme.get("name", "")
    if kind == "bearer":
        request.headers["Authorization"] = f"Bearer {values[0]}"
    elif kind == "basic":
        token = base64.b64encode(":".join(values).encode()).decode()
        request.secrets.append(token)
        request.headers["Authorization"] = f"Basic {token}"
    elif scheme["in"] == "header":
        request.headers[name] = values[0]
    elif scheme["in"] == "query":
        request.query.append((quote(name, safe=""), quote(values[0], safe="")))
    else:
        request.cookies.append((quote(name, safe=""), quote(values[0], safe="")))
