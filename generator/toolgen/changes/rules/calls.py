"""Rules about how a tool is called: names, limits, hints, callers, and what an implementation is given."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from toolgen.base.suggestions import quoted
from toolgen.changes.contract import HINT_DEFAULTS
from toolgen.changes.rule import FieldEdit, ToolPair, applies
from toolgen.language.spec import Spec
from toolgen.schema.document import JsonPath

# Names


def alias_added(pair: ToolPair) -> Iterator[FieldEdit]:
    for alias in pair.new.spec.aliases:
        if alias not in (*pair.old.spec.aliases, pair.old.name):
            yield FieldEdit(("aliases",), f"alias {quoted(alias)} added", alias)


def alias_removed(pair: ToolPair) -> Iterator[FieldEdit]:
    # A name that becomes the tool's own name stays answered.
    answered = {*pair.new.spec.aliases, pair.new.name}
    for alias in pair.old.spec.aliases:
        if alias not in answered:
            yield FieldEdit(("aliases",), f"alias {quoted(alias)} removed", alias)


def group_changed(pair: ToolPair) -> Iterator[FieldEdit]:
    if pair.old.spec.group != pair.new.spec.group:
        yield FieldEdit(("group",), f"group changed to {pair.new.spec.group}", pair.new.spec.group)


# The end of a tool that is announced


def deprecation_changed(pair: ToolPair) -> Iterator[FieldEdit]:
    old, new = pair.old.spec.deprecated, pair.new.spec.deprecated
    if old == new:
        return
    if new is None:
        yield FieldEdit(("deprecated",), "no longer deprecated", "removed")
    else:
        what = "deprecated" if old is None else "deprecation changed"
        instead = f"; use {quoted(new.replaced_by)} instead" if new.replaced_by else ""
        until = f"; removed after {new.sunset}" if new.sunset else ""
        yield FieldEdit(("deprecated",), f"{what}{instead}{until}", new.model_dump(mode="json"))


def sunset_earlier(pair: ToolPair) -> Iterator[FieldEdit]:
    old, new = pair.old.spec.deprecated, pair.new.spec.deprecated
    if old and new and old.sunset and new.sunset and new.sunset < old.sunset:
        message = f"sunset moved from {old.sunset} to {new.sunset}"
        yield FieldEdit(("deprecated", "sunset"), message, [old.sunset, new.sunset])


# Limits of calls, and strings that contain JSON

_LIMITS: Final = (
    ("timeout",),
    ("concurrency",),
    ("max_result_bytes",),
    ("rate_limit", "per_second"),
    ("rate_limit", "per_minute"),
)


def call_limit_lowered(pair: ToolPair) -> Iterator[FieldEdit]:
    for path, old, new in _limits(pair):
        if new is not None and (old is None or new < old):
            what = f"set to {new:,}" if old is None else f"lowered from {old:,} to {new:,}"
            yield FieldEdit(path, f"{quoted('.'.join(path))} {what}", new)


def call_limit_raised(pair: ToolPair) -> Iterator[FieldEdit]:
    for path, old, new in _limits(pair):
        if old is not None and (new is None or new > old):
            what = f"removed; it was {old:,}" if new is None else f"raised from {old:,} to {new:,}"
            yield FieldEdit(path if new is not None else path[:1], f"{quoted('.'.join(path))} {what}", new)


def _limits(pair: ToolPair) -> Iterator[tuple[tuple[str, ...], Any, Any]]:
    """Yield each limit of a call with its old and its new value; None where there is no limit."""
    for path in _LIMITS:
        old: Any = pair.old.spec
        new: Any = pair.new.spec
        for name in path:
            old, new = getattr(old, name, None), getattr(new, name, None)
        yield path, old, new


# Idempotency keys, and calls that a worker may run


def field_added(pair: ToolPair, *, name: str, words: str, detail: str | None = None) -> Iterator[FieldEdit]:
    """Yield an edit if only the new version has a field, or has it true."""
    if getattr(pair.new.spec, name) and not getattr(pair.old.spec, name):
        yield FieldEdit((name,), words, detail)


def field_removed(pair: ToolPair, *, name: str, words: str, detail: str | None = None) -> Iterator[FieldEdit]:
    """Yield an edit if only the old version has a field, or has it true."""
    if getattr(pair.old.spec, name) and not getattr(pair.new.spec, name):
        yield FieldEdit((name,), words, detail)


def keys_forgotten_earlier(pair: ToolPair) -> Iterator[FieldEdit]:
    old, new = pair.old.spec.idempotency, pair.new.spec.idempotency
    if old is not None and new is not None and new.ttl < old.ttl:
        message = f"keys are kept for {new.ttl:,} seconds; it was {old.ttl:,}"
        yield FieldEdit(("idempotency", "ttl"), message, [old.ttl, new.ttl])


def background_changed(pair: ToolPair) -> Iterator[FieldEdit]:
    old, new = pair.old.spec.background, pair.new.spec.background
    if old == new:
        return
    if new is None:
        yield FieldEdit(("background",), "calls no longer run in workers", None)
    else:
        yield FieldEdit(("background",), f"results are kept for {new.result_ttl:,} seconds", new.result_ttl)


def coercion_lost(pair: ToolPair) -> Iterator[FieldEdit]:
    old, new = pair.old.spec.coerce, pair.new.spec.coerce
    if old is None and new is None:
        return  # coercion-default-lost is about these
    if applies(old, pair.old_settings, "coerce") and not applies(new, pair.new_settings, "coerce"):
        why = ": the configuration has `coerce = false`" if new is None else ""
        yield FieldEdit(("coerce",), f"requests are no longer coerced{why}")


# Values that the application gives to an implementation


def inject_changed(pair: ToolPair) -> Iterator[FieldEdit]:
    old = {each.name: each for each in pair.old.spec.inject}
    new = {each.name: each for each in pair.new.spec.inject}
    for name in sorted({*old, *new}):
        if name not in new:
            what = "removed"
        elif name not in old:
            what = "added"
        elif old[name].type != new[name].type:
            what = f"changed from {old[name].type} to {new[name].type}"
        elif old[name].optional != new[name].optional:
            what = f"became {'optional: it may be None' if new[name].optional else 'required'}"
        else:
            continue
        yield FieldEdit(("inject",), f"injected value {quoted(name)} {what}", name)


# Hints of MCP (`ToolAnnotations`), by which clients decide whether to ask the user


def hint_changed(pair: ToolPair, *, name: str, to: bool) -> Iterator[FieldEdit]:
    """Yield an edit if the hint `name` changed to a value, written or by default."""
    old, new = pair.old.hint(name), pair.new.hint(name)
    # MCP's defaults assume the worst. A risk counts if clients read it now; a promise of safety, if they read
    # its opposite before.
    deciding = pair.new if to is HINT_DEFAULTS[name] else pair.old
    if old != new and new is to and deciding.is_hint_read(name):
        yield FieldEdit(("annotations", name), f"{name} changed to {str(new).lower()}")


# Names that a spec lists: scopes, secrets, and the allowed callers of targets

_TARGETS_WITH_CALLERS: Final = ("anthropic", "openai")
_DEFAULT_CALLERS: Final = ("direct",)  # of both providers

_Listed = Mapping[str, tuple[JsonPath, Any]]
"""A listed name as messages write it → the place of the list in the spec, and the detail of an edit."""


def listed_added(pair: ToolPair, *, names: str, words: str) -> Iterator[FieldEdit]:
    """Yield an edit for each name that only the new version lists."""
    return _missing(_LISTS[names](pair.new.spec), _LISTS[names](pair.old.spec), words)


def listed_removed(pair: ToolPair, *, names: str, words: str) -> Iterator[FieldEdit]:
    """Yield an edit for each name that only the old version lists."""
    return _missing(_LISTS[names](pair.old.spec), _LISTS[names](pair.new.spec), words)


def _missing(listed: _Listed, other: _Listed, words: str) -> Iterator[FieldEdit]:
    for name, (path, detail) in listed.items():
        if name not in other:
            yield FieldEdit(path, f"{name} {words}", detail)


def _callers(spec: Spec) -> _Listed:
    found = {}
    for target in _TARGETS_WITH_CALLERS:
        callers = getattr(spec.options_of(target), "allowed_callers", None)
        for each in _DEFAULT_CALLERS if callers is None else callers:
            found[f"{target}: {quoted(each)}"] = (("targets", target, "allowed_callers"), [target, each])
    return found


def _scopes(spec: Spec) -> _Listed:
    scopes = spec.auth.scopes if spec.auth else ()
    return {f"scope {quoted(each)}": (("auth", "scopes"), each) for each in scopes}


def _secrets(spec: Spec) -> _Listed:
    secrets = spec.auth.secrets if spec.auth else ()
    return {f"secret {quoted(each)}": (("auth", "secrets"), each) for each in secrets}


_LISTS: Final[Mapping[str, Callable[[Spec], _Listed]]] = {
    "callers": _callers,
    "scopes": _scopes,
    "secrets": _secrets,
}
