"""Add credentials to a request. They are read from the environment just before it is sent."""

from __future__ import annotations

import base64
import os
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

from toolgen.runtime.errors import MissingDependencyError

from .request import PreparedRequest, origin_of

_LEAST = 6  # characters of a credential that is masked in results


def add_credentials(request: PreparedRequest, schemes: Sequence[Mapping[str, Any]]) -> None:
    """Add the credentials of each of `schemes`; one whose variables are not set is left out.

    The spec's `auth.secrets` says which secrets are required; that is checked before the tool runs.
    Raises MissingDependencyError for one that cannot stand in a header, and for one that the spec sends to
    another host than the request goes to, unless the environment says where the API is.
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
                    f"The environment variable {name} holds what no header can.", details={"name": name}
                )
        for key, value in zip(keys, values, strict=True):
            written = [value, quote(value, safe="")] if value else []  # as it is, and as a query has it
            request.secrets += written
            if key != "username" and len(value) >= _LEAST:
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
        request.headers[name] = values[0]
    elif scheme["in"] == "query":
        request.query.append((quote(name, safe=""), quote(values[0], safe="")))
    else:
        request.cookies.append((quote(name, safe=""), quote(values[0], safe="")))
