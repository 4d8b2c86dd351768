"""`generate`, cut into the actions of a build system: one for each spec, and one for what all specs share.

A spec's action makes the files of its tool and a piece; the index is made of the pieces alone. Together they
make, byte for byte, what `pipeline.compile_specs` makes of all specs at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from dataclasses import dataclass

from toolgen.compile.adapt import adapt
from toolgen.compile.format import format_tree
from toolgen.compile.lower import lower
from toolgen.compile.parse import parse
from toolgen.compile.read import read
from toolgen.compile.render import outputs_of, render_index
from toolgen.compile.resolve import audit, clashes
from toolgen.data.changes import Tree
from toolgen.data.diagnostic import Diagnostic, SpecErrors
from toolgen.data.package import PackageSettings
from toolgen.data.program import Program, ProgramTool
from toolgen.data.target import Target
from toolgen.pipeline import emit_tools, understand
from toolgen.python_source.names import snake

_TOOL = "{tool}"  # in a template's path: printed once for each tool


@dataclass(frozen=True, slots=True)
class Made:
    """What one spec's action makes. No tool, and no files: shared schemas, or a tool that is not enabled."""

    tool: ProgramTool | None
    tree: Tree
    warnings: tuple[Diagnostic, ...] = ()


def make_tool(
    path: str,
    texts: Mapping[str, bytes],
    targets: Sequence[Target],
    settings: PackageSettings,
    cache: MutableMapping[str, bytes],
) -> Made:
    """The files of the one spec at `path`. `texts` has it and the shared schemas that it uses.

    Raises `SpecErrors` with every fault in them; what only all specs together can be is the index's to find.
    """
    prefix = f"{settings.specs}/"
    parsed = parse(read(texts, prefix))
    if path in parsed.shared:
        faults: list[Diagnostic] = []
        for shared in parsed.shared:
            audit(shared, parsed.shared, faults)
        if faults:
            raise SpecErrors(faults)
        return Made(None, {})
    program = understand(texts, targets, prefix)
    if not program.tools:
        return Made(None, {}, program.warnings)
    (tool,) = program.tools
    _, trees = emit_tools(program, targets, settings, cache)
    (tree,) = trees.values()
    return Made(tool, tree, program.warnings)


def make_index(tools: Sequence[ProgramTool], targets: Sequence[Target], settings: PackageSettings) -> Tree:
    """Everything but the files of single tools. Raises `SpecErrors` where two tools collide."""
    ordered = tuple(sorted(tools, key=lambda tool: tool.spec.name))
    faults = list(clashes(ordered))
    if faults:
        raise SpecErrors(faults)
    model = lower(adapt(Program(ordered), targets), settings)
    return format_tree(render_index(model, targets))


def tool_files(name: str, targets: Sequence[Target]) -> list[str]:
    """The files of the tool that callers know as `name`, sorted, below the output folder."""
    py_name = snake(name, "tool")
    made = (path.replace(_TOOL, py_name) for path in _outputs(targets) if _TOOL in path)
    return sorted([f"models/{py_name}.py", *made])


def index_files(targets: Sequence[Target]) -> list[str]:
    """The files that all tools share, sorted; the manifest is not among them."""
    return sorted(path for path in _outputs(targets) if _TOOL not in path)


def enabled_tools(texts: Mapping[str, bytes], prefix: str) -> list[str]:
    """The names of the enabled tools among the specs `texts`; places in them are shown with `prefix`.

    Raises `SpecErrors` for specs that would be refused by themselves; their references are not followed.
    """
    parsed = parse(read(texts, prefix))
    return sorted(spec.name for spec, _ in parsed.tools if spec.enabled)


def idle_modules(texts: Mapping[str, bytes], prefix: str) -> list[str]:
    """Return the names of the modules that would implement the tools that are not enabled."""
    parsed = parse(read(texts, prefix))
    return sorted(snake(spec.name, "tool") for spec, _ in parsed.tools if not spec.enabled)


def _outputs(targets: Sequence[Target]) -> Iterator[str]:
    for target in targets:
        yield from outputs_of(target).values()
