"""Add credentials to a request. They are read from the environment just before sending."""

from __future__ import annotations

import base64
import os
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

from toolgen.runtime.errors import MissingDependencyError

from .request import PreparedRequest, origin_of

_SHORTEST_CREDENTIAL = 6  # characters; shorter ones are not redacted in results


def add_credentials(request: PreparedRequest, schemes: Sequence[Mapping[str, Any]]) -> None:
    """Add the credentials of each of `schemes`, except those whose variables are not set.

    The spec's `auth.secrets` has the required secrets, which are checked before the tool runs.
    Raises MissingDependencyError if a secret is not valid in a header, or if the spec sends it to another
    host than that of the request, unless the environment defines the URL of the API.
    """
    for scheme in schemes:
        keys = [key for key in ("secret", "username", "password") if key in scheme]
        names = [scheme[key] for key in keys]
        values = [os.environ.get(name, "") for name in names]
        if not any(values):
            continue
        to = scheme.get("sent_to")
        if to and not request.chosen_by_environment and to != origin_of(request.url):
            raise MissingDependencyError(
                f"The secret {names[0]} is for {to}, and is not sent to {origin_of(request.url)}.",
                details={"name": names[0]},
            )
        for name, value in zip(names, values, strict=True):
            if not value.isprintable() or not value.isascii():
                raise MissingDependencyError(
                    f"The environment variable {name} contains characters that a header cannot have.",
                    details={"name": name},
                )
        for key, value in zip(keys, values, strict=True):
            written = [value, quote(value, safe="")] if value else []  # unescaped, and escaped as in a query
            request.secrets += written
            if key != "username" and len(value) >= _SHORTEST_CREDENTIAL:
                request.credentials += written
        _add(request, scheme, values)


def _add(request: PreparedRequest, scheme: Mapping[str, Any], values: list[str]) -> None:
    kind, name = scheme["type"], scheme.get("name", "")
    if kind == "bearer":
        request.headers["Authorization"] = f"Bearer {values[0]}"
    elif kind == "basic":
        token = base64.b64encode(":".join(values).encode()).decode()
        request.secrets.append(token)
        request.credentials.append(token)
        request.headers["Authorization"] = f"Basic {token}"
    elif scheme["in"] == "header":
        request.set_header(name, values[0])
    elif scheme["in"] == "query":
        request.query.append((quote(name, safe=""), quote(values[0], safe="")))
    else:
        request.cookies.append((quote(name, safe=""), quote(values[0], safe="")))
