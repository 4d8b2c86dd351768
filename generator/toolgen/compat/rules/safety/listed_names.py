"""Rules about names that a spec lists: scopes, secrets, and the allowed callers of targets."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from toolgen.compat.edit_space import Direction
from toolgen.compat.finding import Category, Level
from toolgen.compat.rule import ToolEdit, ToolPair, ToolRule
from toolgen.data.spec import Spec
from toolgen.schema.document import JsonPath
from toolgen.suggestions import quoted

_TARGETS_WITH_CALLERS: Final = ("anthropic", "openai")
_DEFAULT_CALLERS: Final = ("direct",)  # of both providers

_Listed = Mapping[str, tuple[JsonPath, Any]]
"""A listed name as messages write it → the place of the list in the spec, and the detail of an edit."""


def _scopes(spec: Spec) -> _Listed:
    scopes = spec.auth.scopes if spec.auth else ()
    return {f"scope {quoted(each)}": (("auth", "scopes"), each) for each in scopes}


def _secrets(spec: Spec) -> _Listed:
    secrets = spec.auth.secrets if spec.auth else ()
    return {f"secret {quoted(each)}": (("auth", "secrets"), each) for each in secrets}


def _callers(spec: Spec) -> _Listed:
    found = {}
    for target in _TARGETS_WITH_CALLERS:
        callers = getattr(spec.options_of(target), "allowed_callers", None)
        for each in _DEFAULT_CALLERS if callers is None else callers:
            found[f"{target}: {quoted(each)}"] = (("targets", target, "allowed_callers"), [target, each])
    return found


def _find_missing(one: _Listed, other: _Listed, words: str) -> Iterator[ToolEdit]:
    """Yield an edit for each name that `one` lists and `other` does not."""
    for name, (path, detail) in one.items():
        if name not in other:
            yield ToolEdit(path, f"{name} {words}", detail)


def _added(listed: Callable[[Spec], _Listed], words: str) -> Callable[[ToolPair], Iterator[ToolEdit]]:
    return lambda pair: _find_missing(listed(pair.new.spec), listed(pair.old.spec), words)


def _removed(listed: Callable[[Spec], _Listed], words: str) -> Callable[[ToolPair], Iterator[ToolEdit]]:
    return lambda pair: _find_missing(listed(pair.old.spec), listed(pair.new.spec), words)


RULES: Final = (
    ToolRule(
        code="callers-added",
        fields=frozenset({"targets"}),
        check=_added(_callers, "may call the tool"),
        advice="check that the tool is safe in a loop of a program that the model writes",
        category=Category.SAFETY,
        level=Level.WARNING,
        page="""\
callers-added: programs that the model writes may call the tool, or the model itself may.

A program calls a tool many times, with arguments that nobody has read. Without `allowed_callers`, only the
model calls the tool.
""",
    ),
    ToolRule(
        code="callers-removed",
        fields=frozenset({"targets"}),
        check=_removed(_callers, "may no longer call the tool"),
        advice="keep the caller in `allowed_callers`",
        category=Category.WIRE,
        level=Level.ERROR,
        page="""\
callers-removed: the model, or programs that it writes, may no longer call the tool.

The provider refuses such calls. Prompts and agents that rely on them fail.
""",
    ),
    ToolRule(
        code="scope-added",
        fields=frozenset({"auth"}),
        check=_added(_scopes, "is now needed"),
        advice="grant the scope to all callers before the change goes live",
        category=Category.WIRE,
        level=Level.ERROR,
        direction=Direction.REQUEST,
        page="""\
scope-added: callers need a further scope.

Callers whose token does not have the scope are answered `insufficient_scope`.
""",
    ),
    ToolRule(
        code="scope-removed",
        fields=frozenset({"auth"}),
        check=_removed(_scopes, "is no longer needed"),
        advice="keep the scope, or see that the tool is safe for callers without it",
        category=Category.SAFETY,
        level=Level.ERROR,
        direction=Direction.REQUEST,
        page="""\
scope-removed: callers need one scope less.

Callers whose token does not have the scope could not use the tool before, and may now.
""",
    ),
    ToolRule(
        code="secret-added",
        fields=frozenset({"auth"}),
        check=_added(_secrets, "is now needed"),
        advice="set the variable wherever the tool runs before the change goes live",
        category=Category.IMPL,
        level=Level.WARNING,
        page="""\
secret-added: the implementation needs a further secret.

Where the environment variable is not set, the tool does not work.
""",
    ),
    ToolRule(
        code="secret-removed",
        fields=frozenset({"auth"}),
        check=_removed(_secrets, "is no longer needed"),
        advice="keep the secret, or see that the other system still checks who calls",
        category=Category.SAFETY,
        level=Level.ERROR,
        page="""\
secret-removed: the implementation needs one secret less.

A secret proves to another system who calls. Without it, calls may reach that system with other rights, or
without any check.
""",
    ),
)
