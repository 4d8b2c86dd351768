"""Check the scopes of a caller and the secrets of the application, before a call acts."""

from __future__ import annotations

from collections.abc import Collection

from toolgen.runtime.errors import InsufficientScopeError, MissingDependencyError


def check_scopes(needed: frozenset[str], granted: Collection[str] | None, tool: str) -> None:
    """Raise InsufficientScopeError if a scope is not among `granted`; None grants nothing."""
    missing = sorted(needed.difference(granted or ()))
    if missing:
        message = f"{tool} needs permissions that this caller lacks: {', '.join(missing)}."
        raise InsufficientScopeError(message, details={"missing": missing})


def check_secrets(needed: Collection[str], found: Collection[str], tool: str) -> None:
    """Raise MissingDependencyError if an environment variable of `needed` was not `found`."""
    for name in needed:
        if name not in found:
            message = f"The application has not set the environment variable {name}, which {tool} needs."
            raise MissingDependencyError(message, details={"name": name})
