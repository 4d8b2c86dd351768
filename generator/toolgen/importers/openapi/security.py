"""Security schemes as `auth`: scopes, and the environment variables that secrets come from."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from toolgen.importers.openapi.document import Library, Place
from toolgen.importers.openapi.operations import Operation
from toolgen.importers.openapi.repairs import Repairs
from toolgen.importers.openapi.variables import Variables
from toolgen.runtime.http.media import TOKEN
from toolgen.suggestions import quoted


@dataclass(slots=True)
class Security:
    """What one operation asks for."""

    scopes: list[str] = field(default_factory=list)
    secrets: list[str] = field(default_factory=list)  # environment variables that must be there
    schemes: list[dict[str, Any]] = field(default_factory=list)  # as `x-openapi` has them

    def auth(self) -> dict[str, Any]:
        """The field `auth`; empty where nothing is asked for."""
        found = {"scopes": self.scopes, "secrets": self.secrets}
        return {key: value for key, value in found.items() if value}


def security_of(operation: Operation, library: Library, repairs: Repairs, variables: Variables) -> Security:
    """The first requirement that can be met here; none where the operation is open. Raises `SourceError`."""
    place = operation.place if "security" in operation.node else Place("", ())
    owner = operation.node if "security" in operation.node else library.root
    given = owner.get("security") or []
    if not isinstance(given, list) or not all(isinstance(each, dict) for each in given):
        raise library.refuse(place / "security", "must be a list of objects")
    optional = {} in given
    problems: list[str] = []
    for requirement in given:
        if not requirement:
            continue
        made = Security()
        problem = _meet(made, requirement, place / "security", library, variables)
        if not problem:
            if optional:  # sent where the variables are set
                made.scopes, made.secrets = [], []
            return made
        problems.append(problem)
    for problem in problems:
        repairs.note(f"{problem}: calls are made without it", place / "security")
    return Security()


def _meet(
    made: Security, requirement: dict[str, Any], at: Place, library: Library, variables: Variables
) -> str:
    """Fill in `made` what every scheme of `requirement` asks for; why not, where one is beyond us."""
    for name, scopes in requirement.items():
        ref = "#/components/securitySchemes/" + name.replace("~", "~0").replace("/", "~1").replace("%", "%25")
        node, _ = library.mapping(library.target(ref, at))
        scheme = _scheme(node, name, variables)
        if scheme is None:
            return f"the security scheme {quoted(name)} of type {quoted(str(node.get('type')))} is not known"
        made.schemes.append(scheme)
        if isinstance(scopes, list):
            made.scopes += [scope for scope in scopes if isinstance(scope, str) and scope not in made.scopes]
        for key in ("secret", "username", "password"):
            if key in scheme and scheme[key] not in made.secrets:
                made.secrets.append(scheme[key])
    return ""


def _scheme(node: dict[str, Any], name: str, variables: Variables) -> dict[str, Any] | None:
    kind, where = node.get("type"), node.get("in")
    if kind == "apiKey" and where in ("header", "query", "cookie") and TOKEN.fullmatch(str(node.get("name"))):
        return {"type": "apiKey", "in": where, "name": node["name"], "secret": variables.secret(name)}
    if kind in ("oauth2", "openIdConnect"):
        return {"type": "bearer", "secret": variables.secret(name, "token")}
    scheme = str(node.get("scheme", "")).lower()
    if kind == "http" and scheme == "bearer":
        return {"type": "bearer", "secret": variables.secret(name, "token")}
    if kind == "http" and scheme == "basic":
        return {
            "type": "basic",
            "username": variables.secret(name, "username"),
            "password": variables.secret(name, "password"),
        }
    return None
