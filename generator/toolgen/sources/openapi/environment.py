"""Name the environment variables of an imported API, and check the hosts that its secrets are sent to.

A document must not choose which variables are sent to its own server: their names begin with a prefix of the
project, well-known credentials of other services are refused, and no variable gets a second host unasked.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any
from urllib.parse import urlsplit

from toolgen.language.identifiers import snake
from toolgen.sources.imported_tool import SourceError

_WELL_KNOWN: Mapping[str, str] = tomllib.loads(
    files("toolgen.sources.openapi").joinpath("services.toml").read_text("utf-8")
)
"""Beginning of a variable's name → the service whose credentials or settings it belongs to."""

_PREFIX = re.compile(r"[A-Z][A-Z0-9_]{0,39}")
_NOT_ALPHANUMERIC = re.compile(r"[^A-Za-z0-9]+")
BASE_URL = "BASE_URL"

SECRET_KEYS = ("secret", "username", "password")
"""Keys of a security scheme in `x-openapi` whose values are names of environment variables."""


@dataclass(frozen=True, slots=True)
class EnvironmentVariables:
    """The variables of one imported API; all names begin with `stem`."""

    stem: str
    allowed: Collection[str] = ()  # credentials of other services that the user named

    def name(self, *words: str) -> str:
        """Return the name of one variable: MYAPP_PETSTORE_API_KEY."""
        parts = (snake(_NOT_ALPHANUMERIC.sub("_", word), "api") for word in words)
        return re.sub("_+", "_", "_".join([self.stem, *parts])).strip("_").upper()

    def secret(self, *words: str) -> str:
        """Return the name of a variable for a secret. Raises `SourceError` if another service uses it."""
        name = self.name(*words)
        owner = owner_of(name)
        if owner and name not in self.allowed:
            raise SourceError(
                f"the document asks for {name}, the name of a credential of {owner}",
                f"choose other names with --env-prefix, or send this one with --allow-variable {name}",
            )
        return name


def owner_of(name: str) -> str:
    """Return the service whose variables begin like `name`, "" if none is known."""
    return next((owner for start, owner in _WELL_KNOWN.items() if name.startswith(start)), "")


def default_prefix(project_name: str) -> str:
    """Return a prefix from the name of a project, changed if another service uses it."""
    prefix = _NOT_ALPHANUMERIC.sub("_", project_name).strip("_").upper()[:32].rstrip("_")
    if _PREFIX.fullmatch(prefix) and not owner_of(f"{prefix}_"):
        return prefix
    return f"APP_{prefix}".rstrip("_")


def check_prefix(option: str) -> str:
    """Return the value of --env-prefix without trailing underscores. Raises `SourceError` if invalid."""
    prefix = option.rstrip("_")
    if not _PREFIX.fullmatch(prefix):
        raise SourceError(
            f"--env-prefix {option!r} is not the beginning of a variable's name",
            "use upper-case letters, digits and _, as in MYAPP",
        )
    return prefix


def stem_of(prefix: str, title: str) -> str:
    """Return the beginning of all names: the project's prefix, then the API's title."""
    words = re.sub(r"(?i)\b(open)?api\b", " ", title)
    return f"{prefix}_{snake(_NOT_ALPHANUMERIC.sub('_', words), 'api')}".upper()


def earlier_stem(specs: Sequence[Mapping[str, Any]]) -> str:
    """Return the stem of the variables in earlier imported specs, "" if they do not share one."""
    names = {str(call["base_url"]) for call in map(call_of, specs) if "base_url" in call}
    # those of servers of single paths continue the stem
    stem = min((name.removesuffix(f"_{BASE_URL}") for name in names), key=len, default="")
    return stem if all(name.startswith(stem) and name.endswith(f"_{BASE_URL}") for name in names) else ""


def call_of(spec: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the HTTP call of an imported spec; empty if it has none."""
    call = spec.get("x-openapi")
    return call if isinstance(call, dict) else {}


@dataclass(frozen=True, slots=True, order=True)
class SecretDestination:
    """A secret and the host that receives it."""

    variable: str
    host: str  # scheme, host and port; empty if only the environment says where the API is
    base_url: str  # the environment variable that overrides the host


def secret_destinations(specs: Sequence[Mapping[str, Any]]) -> list[SecretDestination]:
    """Return every secret that the tools of `specs` send, sorted."""
    return sorted(
        {
            SecretDestination(
                str(scheme[key]), origin_of(str(call.get("server", ""))), str(call.get("base_url", ""))
            )
            for call in map(call_of, specs)
            for scheme in _schemes(call)
            for key in SECRET_KEYS
            if key in scheme
        }
    )


def _schemes(call: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    schemes = call.get("security")
    yield from (each for each in schemes if isinstance(each, dict)) if isinstance(schemes, list) else ()


def refuse_new_hosts(
    new: Sequence[SecretDestination], existing: Sequence[SecretDestination], allowed: Collection[str]
) -> None:
    """Raise `SourceError` if a variable that existing specs send to one host would go to another one."""
    hosts: dict[str, set[str]] = {}
    for each in existing:
        hosts.setdefault(each.variable, set()).add(each.host)
    for each in new:
        known = hosts.get(each.variable)
        if known and each.host not in known and each.variable not in allowed:
            listed = ", ".join(sorted(host or _FROM_ENVIRONMENT for host in known))
            raise SourceError(
                f"{each.variable} is sent to {listed} by existing specs; this document would send it to "
                f"{each.host or _FROM_ENVIRONMENT}",
                f"choose another --env-prefix, or allow it with --allow-variable {each.variable}",
            )


_FROM_ENVIRONMENT = "the host that the environment names"


def origin_of(url: str) -> str:
    """Return scheme, host and port of `url`, "" if it has none."""
    try:
        parts = urlsplit(url)
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        return ""
    if not (parts.scheme and parts.hostname):
        return ""
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    return f"{parts.scheme}://{host}{port}"
