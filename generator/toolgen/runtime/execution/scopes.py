"""What a call needs before its arguments are looked at: scopes of the caller, secrets of the application."""

from __future__ import annotations

from collections.abc import Collection

from toolgen.runtime.errors import InsufficientScopeError, MissingDependencyError


def check_scopes(needed: frozenset[str], granted: Collection[str] | None, tool: str) -> None:
    """Raise InsufficientScopeError if a scope is not among `granted`; None grants nothing."""
    missing = sorted(needed.difference(granted or ()))
    if missing:
        raise InsufficientScopeError(
            f"{tool} needs permissions that this caller lacks: {', '.join(missing)}.",
            details={"missing": missing},
        )


def check_secrets(needed: Collection[str], found: Collection[str], tool: str) -> None:
    """Raise MissingDependencyError if an environment variable of `needed` was not `found`."""
    for name in needed:
        if name not in found:
            raise MissingDependencyError(
                f"The application has not set the environment variable {name}, which {tool} needs.",
                details={"name": name},
            )
