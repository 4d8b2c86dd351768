"""Tools to tools as each target publishes them, with a warning for everything that its dialect cannot say."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from toolgen.compile.checking.conflicts import find_conflicts, published_name
from toolgen.compile.publishing.definition import description
from toolgen.data.diagnostic import Diagnostic, SpecErrors
from toolgen.data.program import Program, ProgramTool, PublishedTool
from toolgen.data.target import Target
from toolgen.schema.dialect_loss import Loss
from toolgen.schema.dialects.publish import publish


def adapt(program: Program, targets: Sequence[Target]) -> Program:
    """Return the program with `published` for every target that publishes tools.

    Raises `SpecErrors` for names that a target refuses or that two tools share.
    """
    publishing = [target for target in targets if target.tool_name]
    if faults := _name_faults(program.tools, publishing):
        raise SpecErrors(faults)
    warnings: list[Diagnostic] = []
    tools = []
    for tool in program.tools:
        published: dict[str, PublishedTool] = {}
        losers: dict[Loss, list[str]] = {}  # loss → the targets that share it
        lost: list[Diagnostic] = []
        for target in publishing:
            published[target.name], losses = _published(tool, target)
            for loss in losses:
                losers.setdefault(loss, []).append(target.name)
            lost += _too_long(tool, target)
        lost += (_warning(tool, names, loss) for loss, names in losers.items())
        tools.append(replace(tool, published=published, warnings=(*tool.warnings, *lost)))
        warnings += lost
    return replace(program, tools=tuple(tools), warnings=(*program.warnings, *warnings))


def _published(tool: ProgramTool, target: Target) -> tuple[PublishedTool, Sequence[Loss]]:
    """Return what a target publishes, and the losses to report: all, if the author asked for the target."""
    options = tool.spec.options_of(target.name)
    result = publish(target.dialect, tool.input_schema, getattr(options, "strict", None))
    reported = tuple(loss for loss in result.losses if loss.always or _asked(tool, target))
    return PublishedTool(published_name(tool, target.name).name, result.schema, result.strict), reported


def _asked(tool: ProgramTool, target: Target) -> bool:
    """True if the author names the target, in the configuration or in the spec."""
    return target.asked or target.name in tool.spec.targets.model_fields_set


def _too_long(tool: ProgramTool, target: Target) -> Iterator[Diagnostic]:
    limit = target.definition.max_description
    length = len(description(tool.spec))
    if limit is not None and length > limit and _asked(tool, target):
        yield Diagnostic(
            tool.source.value(("description",)),
            "provider-limit",
            f"{target.name}: some models refuse descriptions of more than {limit} characters; "
            f"it has {length}",
            "use_when, avoid_when and returns are part of it",
        )


def _name_faults(tools: Sequence[ProgramTool], targets: Sequence[Target]) -> list[Diagnostic]:
    claims = [(published_name(tool, target.name), target) for target in targets for tool in tools]
    refused = [
        Diagnostic(
            claim.source.value(claim.path),
            "target-name",
            f"{target.name} does not take {claim.name!r} as the name of a tool",
            f"names must match {target.tool_name}",
        )
        for claim, target in claims
        if not re.fullmatch(target.tool_name, claim.name)
    ]
    return refused + find_conflicts(claim for claim, _ in claims)


def _warning(tool: ProgramTool, targets: Sequence[str], loss: Loss) -> Diagnostic:
    path = ("input_schema", *loss.path)
    keyword = (*path, loss.keyword)
    where = tool.source.key(keyword) if keyword in tool.source.marks.keys else tool.source.value(path)
    reason = loss.reason[:1].lower() + loss.reason[1:].removesuffix(".")
    return Diagnostic(where, "dialect-loss", f"{', '.join(targets)}: {reason}")
