"""Conflicts between specs: names that more than one of them needs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from toolgen.language.compiled_spec import NameClaim, NameKind
from toolgen.language.diagnostic import Diagnostic, Note
from toolgen.language.identifiers import class_stem, tool_module
from toolgen.language.program import ProgramTool, SharedFile
from toolgen.schema.document import JsonPath

_CALLED = (NameKind.TOOL, NameKind.ALIAS)  # two specs of one name have the same owner


def find_conflicts(claims: Iterable[NameClaim]) -> list[Diagnostic]:
    """Return a fault for each name that is claimed twice, at the second claim.

    Names that callers use come first: two tools of one name would also be two modules of one name, which is
    not worth saying. An alias never takes precedence over a name.
    """
    by_kind: dict[NameKind, list[NameClaim]] = {kind: [] for kind in NameKind}
    for claim in claims:
        by_kind[claim.kind].append(claim)
    for kind in _CALLED:
        by_kind[kind].sort(key=lambda claim: claim.source.path)
    for kind in (NameKind.PUBLISHED, NameKind.GROUP, NameKind.PYTHON, NameKind.SHARED):
        by_kind[kind].sort(key=lambda claim: claim.owner)
    return (
        [*_called(by_kind[NameKind.TOOL] + by_kind[NameKind.ALIAS])]
        or [*_published(by_kind[NameKind.PUBLISHED])]
        or [*_groups(by_kind[NameKind.GROUP], by_kind[NameKind.PUBLISHED])]
        or [*_python(by_kind[NameKind.PYTHON])]
        or [*_shared(by_kind[NameKind.SHARED])]
    )


def tool_names(tool: ProgramTool) -> Iterator[NameClaim]:
    """Yield the names that callers use: the tool's own and its aliases."""
    name = tool.spec.name
    yield NameClaim(NameKind.TOOL, name, name, tool.source, ("name",))
    for index, alias in enumerate(tool.spec.aliases):
        yield NameClaim(NameKind.ALIAS, alias, name, tool.source, ("aliases", index))


def published_name(tool: ProgramTool, target: str) -> str:
    """Return the name that `target` publishes: the tool's, or the one in `targets` of the spec."""
    options = tool.spec.options_of(target)
    return (options and options.name) or tool.spec.name


def published_names(tool: ProgramTool, targets: Iterable[str]) -> Iterator[NameClaim]:
    """Yield the name that each of `targets` publishes."""
    written = _is_written(tool.source.data, ("targets",))
    for target in targets:
        override: JsonPath = ("targets", target, "name")
        path = override if written and _is_written(tool.source.data, override) else ("name",)
        name = published_name(tool, target)
        yield NameClaim(NameKind.PUBLISHED, name, tool.spec.name, tool.source, path, target)


def group_names(tool: ProgramTool) -> Iterator[NameClaim]:
    """Yield the tool's group, if it has one: tools may share it."""
    if tool.spec.group is not None:
        yield NameClaim(NameKind.GROUP, tool.spec.group, tool.spec.name, tool.source, ("group",))


def python_names(tool: ProgramTool) -> Iterator[NameClaim]:
    """Yield the name of the tool's module and the stem of its classes' names."""
    module = tool_module(tool.spec.name)
    for name in dict.fromkeys((module, class_stem(module))):
        yield NameClaim(NameKind.PYTHON, name, tool.spec.name, tool.source, ("name",))


def module_of_shared_file(path: str, shared: SharedFile) -> NameClaim:
    """Return the name of the module for the shared file at `path`."""
    return NameClaim(NameKind.SHARED, shared.py_name, path, shared.source, ("$defs",))


def _taken(
    claims: Iterable[NameClaim], name_of: Callable[[NameClaim], object]
) -> Iterator[tuple[NameClaim, NameClaim]]:
    """Yield each claim of a name that another owner has, after that owner's claim."""
    owners: dict[object, NameClaim] = {}
    for claim in claims:
        first = owners.setdefault(name_of(claim), claim)
        if first is not claim and (first.owner != claim.owner or claim.kind in _CALLED):
            yield first, claim


def _called(claims: Iterable[NameClaim]) -> Iterator[Diagnostic]:
    for first, claim in _taken(claims, lambda claim: claim.name):
        yield Diagnostic(
            claim.source.value(claim.path),
            "duplicate-tool",
            f"the {_word(claim)} {claim.name!r} is taken by another tool",
            "rename one of the two",
            (Note(first.source.value(first.path), f"the {_word(first)} of the other tool"),),
        )


def _word(claim: NameClaim) -> str:
    return "alias" if claim.kind is NameKind.ALIAS else "name"


def _published(claims: Iterable[NameClaim]) -> Iterator[Diagnostic]:
    for first, claim in _taken(claims, lambda claim: (claim.target, claim.name)):
        yield Diagnostic(
            claim.source.value(claim.path),
            "name-collision",
            f"{claim.target} would publish both {first.owner!r} and {claim.owner!r} as {claim.name!r}",
            f"give one of them another targets.{claim.target}.name",
            (Note(first.source.value(first.path), f"{first.owner!r} gets its name here"),),
        )


def _groups(groups: Iterable[NameClaim], published: Iterable[NameClaim]) -> Iterator[Diagnostic]:
    """Yield a fault for each group with the name of a tool, which OpenAI gives to the deferred tool."""
    tools = {claim.name: claim for claim in published if claim.target == "openai"}
    for group in groups:
        if tool := tools.get(group.name):
            yield Diagnostic(
                group.source.value(group.path),
                "taken-name",
                f"OpenAI reserves the namespace {group.name!r}, because a tool has that name",
                "rename the group, for example after what its tools are about",
                (Note(tool.source.value(tool.path), "the name of the tool"),),
            )


def _python(claims: Iterable[NameClaim]) -> Iterator[Diagnostic]:
    reported: set[str] = set()
    for first, claim in _taken(claims, lambda claim: claim.name):
        if claim.owner not in reported:
            reported.add(claim.owner)  # its module and its classes: one mistake
            yield Diagnostic(
                claim.source.value(claim.path),
                "name-collision",
                f"tools {claim.owner!r} and {first.owner!r} would both be {claim.name!r} in Python",
                "rename one of them, and keep its old name as an alias",
                (Note(first.source.value(first.path), f"{first.owner!r} is here"),),
            )


def _shared(claims: Iterable[NameClaim]) -> Iterator[Diagnostic]:
    # case folded: two letters that `lower` keeps apart are one where case does not count (Windows, macOS)
    for first, claim in _taken(claims, lambda claim: claim.name.casefold()):
        yield Diagnostic(
            claim.source.key(claim.path),
            "name-collision",
            f"{claim.owner} and {first.owner} would both be models/shared/{claim.name}.py",
            "rename one of the two files",
            (Note(first.source.key(first.path), f"{first.owner} begins here"),),
        )


def _is_written(data: Any, path: JsonPath) -> bool:
    for part in path:
        if not isinstance(data, Mapping) or part not in data:
            return False
        data = data[part]
    return True
