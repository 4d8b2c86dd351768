"""Read what a call of an operation needs: the first security requirement that can be met."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from toolgen.base.suggestions import quoted
from toolgen.runtime.http.media import TOKEN
from toolgen.sources.imported_tool import SourceError
from toolgen.sources.json_source import errors_at
from toolgen.sources.openapi.document import OpenApiDocument, RepairLog
from toolgen.sources.openapi.environment import SECRET_KEYS, EnvironmentVariables
from toolgen.sources.openapi.operation_list import Operation


@dataclass(slots=True)
class OperationSecurity:
    """The security requirement that calls of one operation meet."""

    secrets: list[str] = field(default_factory=list)  # environment variables that must be set
    schemes: list[dict[str, Any]] = field(default_factory=list)  # as in `x-openapi`

    def auth(self, earlier: Any) -> dict[str, Any]:
        """Return the field `auth` of the spec; empty if nothing is required.

        Scopes of `earlier`, the field before a sync, are kept. Those of the API belong to the application's
        token, not to the caller.
        """
        kept = earlier.get("scopes", []) if isinstance(earlier, dict) else []
        found = {"scopes": kept, "secrets": self.secrets}
        return {key: value for key, value in found.items() if value}


def read_security(
    operation: Operation, document: OpenApiDocument, repairs: RepairLog, variables: EnvironmentVariables
) -> OperationSecurity:
    """Return the first requirement with supported schemes, empty if there is none. Raises `SourceError`."""
    owner = operation.node if "security" in operation.node.data else document.root
    location = owner / "security"
    requirements = owner.data.get("security") or []
    if not isinstance(requirements, list) or not all(isinstance(each, dict) for each in requirements):
        raise document.error(location, "must be a list of objects")
    problems: list[str] = []
    unknown: list[SourceError] = []
    for requirement in filter(None, requirements):
        try:
            nodes = {
                name: document.object_at(document.component("securitySchemes", name, location)).data
                for name in requirement
            }
        except SourceError as error:
            unknown.append(error)
            continue
        security = OperationSecurity()
        with errors_at(document.label, location):
            problem = _meet(security, requirement, nodes, variables)
        if not problem:
            if {} in requirements:  # optional: sent if the variables are set
                security.secrets = []
            return security
        problems.append(problem)
    if unknown and {} not in requirements:
        raise unknown[0]
    for problem in problems:
        repairs.add(f"{problem}: calls are made without it", location)
    for each in unknown:
        repairs.add(f"{each.message}: calls are made without it")
    return OperationSecurity()


def _meet(
    security: OperationSecurity,
    requirement: Mapping[str, Any],
    nodes: Mapping[str, dict[str, Any]],
    variables: EnvironmentVariables,
) -> str:
    """Add every scheme of `requirement` to `security`; return why it cannot be met, or ""."""
    for name, scopes in requirement.items():
        scheme = _to_call_scheme(nodes[name], name, variables)
        if scheme is None:
            kind = quoted(str(nodes[name].get("type")))
            return f"the security scheme {quoted(name)} of type {kind} is not supported"
        wanted = [scope for scope in scopes if isinstance(scope, str)] if isinstance(scopes, list) else []
        security.schemes.append({**scheme, **({"scopes": wanted} if wanted else {})})
        for key in SECRET_KEYS:
            if key in scheme and scheme[key] not in security.secrets:
                security.secrets.append(scheme[key])
    return ""


def _to_call_scheme(
    node: dict[str, Any], name: str, variables: EnvironmentVariables
) -> dict[str, Any] | None:
    """Return the scheme as `x-openapi` has it; None if it is not supported."""
    kind, place = node.get("type"), node.get("in")
    if kind == "apiKey" and place in ("header", "query", "cookie") and TOKEN.fullmatch(str(node.get("name"))):
        return {"type": "apiKey", "in": place, "name": node["name"], "secret": variables.secret(name)}
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
