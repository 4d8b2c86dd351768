"""Tools to tools as each target publishes them, with a warning for everything that its dialect cannot say."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Final, NamedTuple

from toolgen.compile.publishing.definition import description
from toolgen.language.checking.conflicts import find_conflicts, group_names, published_name, published_names
from toolgen.language.diagnostic import Diagnostic, Progress, SpecErrors, in_order, no_progress
from toolgen.language.program import Program, ProgramTool, PublishedTool
from toolgen.language.spec import ContentSpec
from toolgen.language.targets.definition import Target, TargetOptions
from toolgen.runtime.adapters.published_tools import InputExamples, input_examples
from toolgen.runtime.content.carried import carries
from toolgen.schema.dialects.publish import publish, publish_output
from toolgen.schema.dialects.published import Published
from toolgen.schema.document import JsonPath
from toolgen.schema.providers import PROVIDERS, CarriedContent, ProviderLimits
from toolgen.schema.validator import compiled

_NO_EXAMPLES: Final = InputExamples()
_RANGES: Final = {"*/*": "files", "audio/*": "audio", "image/*": "images", "video/*": "videos"}  # in words
_IN_DOCS: Final = "docs/results.md lists what each provider takes"


def adapt(program: Program, targets: Sequence[Target], progress: Progress = no_progress) -> Program:
    """Return the program with `published` for every target that publishes tools.

    Raises `SpecErrors` for names that a target refuses or that two tools share.
    """
    publishing = [target for target in targets if target.tool_name]
    if faults := _name_faults(program.tools, publishing):
        raise SpecErrors(faults)
    tools: list[ProgramTool] = []
    for number, tool in enumerate(program.tools, 1):
        tools.append(_adapted(tool, publishing))
        progress("converting schemas", number, len(program.tools))
    return program.with_tools(tools)


class TargetLoss(NamedTuple):
    """Part of a tool that a target cannot express."""

    path: JsonPath  # in the spec
    reason: str
    hint: str = ""


def losses_of(tool: ProgramTool, target: Target) -> tuple[TargetLoss, ...]:
    """Return what a target cannot say of a tool; all of it, if the author names the target."""
    return tuple(
        loss._replace(reason=f"{name}: {loss.reason}.") if loss.path[0] == "content" else loss
        for name, loss in _adapt_to(tool, target).losses
    )


def _adapted(tool: ProgramTool, targets: Sequence[Target]) -> ProgramTool:
    """Return the tool with what each target publishes, and warnings; losses of several targets are one."""
    published: dict[str, PublishedTool] = {}
    losers: dict[TargetLoss, list[str]] = {}  # loss → the targets, or their APIs, that share it
    warnings: list[Diagnostic] = []
    for target in targets:
        made = _adapt_to(tool, target)
        published[target.name] = made.tool
        for name, loss in made.losses:
            losers.setdefault(loss, []).append(name)
        warnings += made.warnings
    # one warning for all targets with the same loss: the author changes the schema once
    warnings += (_warning(tool, names, loss) for loss, names in losers.items())
    return replace(tool, published=published, warnings=(*tool.warnings, *in_order(warnings)))


@dataclass(frozen=True, slots=True)
class _Adaptation:
    """A tool as one target publishes it, and what to report: every loss, if the author asked for it."""

    tool: PublishedTool
    losses: tuple[tuple[str, TargetLoss], ...]  # with the name of the target, or of its API
    warnings: tuple[Diagnostic, ...]


def _adapt_to(tool: ProgramTool, target: Target) -> _Adaptation:
    options, asked = tool.spec.options_of(target.name), _asked(tool, target)
    schema = publish(target.dialect, tool.documents["input_schema"], _option(options, "strict", None))
    found = [("input_schema", loss) for loss in schema.losses if loss.always or asked]
    output = None
    if "output_schema" in tool.documents and _option(options, "output_schema", True):
        output = publish_output(target.dialect, tool.documents["output_schema"])
    if output is not None and asked:
        found += (("output_schema", loss) for loss in output.losses)
    losses = [
        (target.name, TargetLoss((field, *loss.path, loss.keyword), loss.reason)) for field, loss in found
    ]
    losses += _content_losses(tool.spec.content, target) if asked else ()
    examples = _NO_EXAMPLES
    if tool.spec.examples and _option(options, "input_examples", True):
        examples = _examples(tool, target, schema)
    published = PublishedTool(
        published_name(tool, target.name),
        schema.schema,
        schema.strict,
        None if output is None else output.schema,
        examples.arguments,
    )
    refused = [_refused_example(tool, target, index) for index in examples.refused if asked]
    return _Adaptation(published, tuple(losses), (*_too_long(tool, target), *refused))


def _option(options: TargetOptions | None, name: str, default: Any) -> Any:
    """Return an option of a target, which may not have it."""
    return default if options is None else vars(options).get(name, default)


def _examples(tool: ProgramTool, target: Target, schema: Published) -> InputExamples:
    provider = PROVIDERS.get(target.dialect or "")
    limit = 0 if provider is None else provider.input_examples
    written: Any = tool.source.data
    return input_examples(written.get("examples", ()), schema, limit, valid_for=tool.input_schema)


def _refused_example(tool: ProgramTool, target: Target, index: int) -> Diagnostic:
    return Diagnostic(
        tool.source.value(("examples", index, "input")),
        "dialect-loss",
        f"{target.name}: this example is left out, since the published schema does not accept it",
    )


def _asked(tool: ProgramTool, target: Target) -> bool:
    """True if the author names the target, in the configuration or in the spec."""
    return target.asked or target.name in tool.spec.targets.model_fields_set


def _too_long(tool: ProgramTool, target: Target) -> Iterator[Diagnostic]:
    limit = target.definition.max_description
    if limit is None or not _asked(tool, target):
        return
    length = len(description(tool.spec))
    if length > limit:
        yield Diagnostic(
            tool.source.value(("description",)),
            "provider-limit",
            f"{target.name}: some models refuse descriptions of more than {limit} characters; "
            f"it has {length}",
            "use_when, avoid_when and returns are part of it",
        )


@cache
def _matcher(pattern: str) -> Callable[[str], bool]:
    """Return whether a pattern matches a whole text. A project's own may make Python's `re` take forever."""
    is_valid: Callable[[str], bool] = compiled({"pattern": f"^(?:{pattern})$"}).is_valid
    return is_valid


def _name_faults(tools: Sequence[ProgramTool], targets: Sequence[Target]) -> list[Diagnostic]:
    patterns = {target.name: target.tool_name for target in targets}
    claims = [claim for tool in tools for claim in published_names(tool, patterns)]
    refused = [
        Diagnostic(
            claim.source.value(claim.path),
            "target-name",
            f"{claim.target} does not take {claim.name!r} as the name of a tool",
            f"names must match {patterns[claim.target]}",
        )
        for claim in claims
        if not _matcher(patterns[claim.target])(claim.name)
    ]
    groups = [claim for tool in tools for claim in group_names(tool)]
    return refused + find_conflicts([*claims, *groups])


def _warning(tool: ProgramTool, names: Sequence[str], loss: TargetLoss) -> Diagnostic:
    where = tool.source.value(loss.path) if loss.path[0] == "content" else tool.source.key(loss.path)
    reason = loss.reason[:1].lower() + loss.reason[1:].removesuffix(".")
    return Diagnostic(where, "dialect-loss", f"{', '.join(names)}: {reason}", loss.hint)


def _content_losses(content: Sequence[ContentSpec] | str, target: Target) -> Iterator[tuple[str, TargetLoss]]:
    """Yield each media type in `content` that only arrives as a line of text, with the name of the API.

    `content: any` declares nothing that could be lost.
    """
    apis = PROVIDERS.get(target.dialect or "", ProviderLimits()).messages
    for index, entry in enumerate(() if isinstance(content, str) else content):
        for api in apis:
            name = target.name if len(apis) == 1 else f"{target.name} ({api.api})"
            for path, subject in _lost(entry, api):
                reason = f"results hold {subject}; a line of text describes what is missing"
                yield name, TargetLoss(("content", index, *path), reason, _IN_DOCS)


def _lost(entry: ContentSpec, api: CarriedContent) -> Iterator[tuple[JsonPath, str]]:
    """Yield the path of each media type of an entry that an API does not take, and what is missing."""
    if entry.type in ("text", "link"):
        return
    if not entry.media_types:
        media_types = "*/*" if entry.type == "file" else f"{entry.type}/*"
        if subject := _subject(entry.type, media_types, api):
            yield ("type",), subject
    for number, media_type in enumerate(entry.media_types):
        if subject := _subject(entry.type, media_type, api):
            yield ("media_types", number), subject


def _subject(kind: str, media_type: str, api: CarriedContent) -> str | None:
    """Return what an API takes of a media type or of a range of them: nothing, or some; None if all."""
    tree, _, subtype = media_type.partition("/")
    if subtype != "*":
        return None if carries(api, kind, media_type) else f"no {media_type}"
    # every API carries texts
    if tree == "text":
        return None
    some = any(tree in ("*", each.partition("/")[0]) for each in api.formats(kind))
    return f"{'only some' if some else 'no'} {_RANGES.get(media_type, media_type)}"
