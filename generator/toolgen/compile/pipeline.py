"""The pipeline: the calls that `generate`, `check` and `export` make, in their order."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Container, Mapping, MutableMapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, fields, replace
from hashlib import sha256
from operator import attrgetter
from typing import Any, cast

from toolgen.compile.compiled_specs import collect
from toolgen.compile.incremental import CompileJob, Texts, WorkerPool, compile_incrementally, in_this_process
from toolgen.compile.output_changes import digest
from toolgen.compile.printing.client_source import (
    ClientMethod,
    ClientTemplates,
    client_files,
    client_source,
    listed_definitions,
)
from toolgen.compile.printing.format import format_tree
from toolgen.compile.printing.lower import lower
from toolgen.compile.printing.models import package_classes
from toolgen.compile.printing.render import render_index, render_shared, render_tools
from toolgen.compile.printing.template_data import package_sources
from toolgen.compile.printing.typescript_client import typescript_client
from toolgen.compile.publishing.adapt import adapt
from toolgen.compile.publishing.definition import choose_references
from toolgen.compile.publishing.request_limits import exceeded_request_limits
from toolgen.compile.publishing.tool_page import tool_page
from toolgen.language.changes import PackageTree, Tree
from toolgen.language.checking.asked_examples import find_contradicting_asks, find_unknown_tools
from toolgen.language.checking.check import check, lint
from toolgen.language.checking.conflicts import find_conflicts
from toolgen.language.checking.resolve import resolve
from toolgen.language.compiled_spec import CompiledSpec, NameKind
from toolgen.language.diagnostic import Diagnostic, Progress, SpecErrors, TemplateBug, in_order, no_progress
from toolgen.language.lint.suppressions import without_suppressed
from toolgen.language.package import Package, PackageSettings, RequestCost, Tool, ToolSummary
from toolgen.language.program import Program, ProgramTool
from toolgen.language.reading.parse import parse
from toolgen.language.reading.read import read
from toolgen.language.targets.definition import Target, TargetDefinition
from toolgen.language.targets.documents import DOCS
from toolgen.schema.document import JsonObject

Cache = MutableMapping[str, bytes]

_summary_fields = attrgetter(*(field.name for field in fields(ToolSummary)))
_name_fields = attrgetter(
    *(field.name for field in fields(ToolSummary) if field.name not in ("about", "secrets"))
)
_cost_fields = attrgetter(*(field.name for field in fields(RequestCost)))


@dataclass(frozen=True, slots=True)
class LinkedPackage:
    """The files of the generated package, and the warnings about its specs."""

    tools: tuple[CompiledSpec, ...]  # the enabled tools, sorted by name
    shared: tuple[CompiledSpec, ...]  # the files of shared schemas
    index: Tree  # the files that belong to none of these
    warnings: tuple[Diagnostic, ...]  # of the specs, and of their tools together

    @property
    def tree(self) -> PackageTree:
        """All files."""
        return PackageTree((*self.tools, *self.shared), self.index)


def compile_project(
    texts: Texts,
    targets: Sequence[Target],
    settings: PackageSettings,
    cache: Cache,
    pool: WorkerPool = in_this_process,
    *,
    digests: Mapping[str, str] | None = None,
) -> LinkedPackage:
    """Compile all specs of a project and link them: the text of every generated file.

    Specs that `cache` (a dict will do) has already are not compiled again; `pool` compiles the others.
    `digests` are those of the texts, if the caller has them.
    Reads no file, clock or environment. Raises `SpecErrors` with every fault that a step can find.
    """

    def compile_some(some: Texts, wanted: Collection[str]) -> Mapping[str, CompiledSpec]:
        needs_tools = len(wanted) == len(texts)  # a batch may have none
        return compile_specs(some, targets, settings, needs_tools=needs_tools, wanted=wanted)

    if digests is None:
        digests = {path: digest(text) for path, text in texts.items()}
    prefix, options = f"{settings.specs}/", options_digest(targets, settings)
    job = CompileJob(texts, prefix, digests, options, compile_some, cache)
    return link(compile_incrementally(job, pool), targets, settings, cache)


def analyze(
    texts: Texts,
    targets: Sequence[Target],
    prefix: str = "",
    *,
    needs_tools: bool = True,
    is_whole: bool = False,
    all_rules: bool = False,
    progress: Progress = no_progress,
) -> Program:
    """Read and check specs, whose places are shown with `prefix` before the path. Raises `SpecErrors`.

    If `is_whole`, they are all specs of a project; with `all_rules`, all lint rules run. `progress` is called
    for each tool.
    """
    program = bind(
        texts,
        targets,
        prefix,
        needs_tools=needs_tools,
        is_whole=is_whole,
        all_rules=all_rules,
        progress=progress,
    )
    # tools → tools as each target publishes them
    return adapt(program, targets, progress)


def without_suppressed_warnings(program: Program) -> Program:
    """Return the program without the warnings that an `x-lint` in its specs ignores."""
    tools = (*program.tools, *program.disabled)
    sources = [tool.source for tool in tools] + [shared.source for shared in program.shared.values()]
    if not any(source.suppressions for source in sources):
        return program
    left = set(without_suppressed(program.warnings, sources))

    def with_left(tool: ProgramTool) -> ProgramTool:
        return replace(tool, warnings=tuple(each for each in tool.warnings if each in left))

    return replace(
        program,
        tools=tuple(map(with_left, program.tools)),
        warnings=tuple(each for each in program.warnings if each in left),
        disabled=tuple(map(with_left, program.disabled)),
    )


def bind(
    texts: Texts,
    targets: Sequence[Target] = (),
    prefix: str = "",
    *,
    needs_tools: bool = True,
    is_whole: bool = False,
    all_rules: bool = False,
    progress: Progress = no_progress,
) -> Program:
    """Read and check specs that are not published: tools whose references are bound. Raises `SpecErrors`."""
    sources = read(texts, prefix)  # text → data with the place of every part
    parsed = parse(sources, targets)  # data → specs
    bound = resolve(parsed)  # specs → tools whose references are bound
    check(bound, needs_tools=needs_tools, is_whole=is_whole, progress=progress)  # raises all their faults
    return lint(bound, is_whole=is_whole, all_rules=all_rules)  # → with the warnings about them


@dataclass(frozen=True, slots=True)
class CompiledClient:
    """A typed client: its files, the definitions that it expects a server to list, and its methods."""

    files: Tree
    listed: tuple[dict[str, Any], ...]
    methods: tuple[ClientMethod, ...]
    uses: Mapping[str, Sequence[str]] | None  # as `uses_of` found them


def compile_client(
    texts: Texts,
    templates: ClientTemplates,
    settings: PackageSettings,
    server: str,
    *,
    is_typescript: bool = False,
    uses_of: Callable[[Sequence[ClientMethod]], Mapping[str, Sequence[str]]] | None = None,
) -> CompiledClient:
    """Return a typed client of the tools in `texts`; `server` names it in docstrings.

    `uses_of` returns the arguments that code gives, by listed name: drift of other tools is ignored.
    Raises `SpecErrors` as `compile_project` does.
    """
    program = without_suppressed_warnings(analyze(texts, [templates.target], f"{settings.specs}/"))
    package = lower(program, settings)
    classes = package_classes(package, program.shared)
    client = client_source(package, classes, server)
    client = replace(client, uses=None if uses_of is None else uses_of(client.methods))
    listed = listed_definitions(client)
    if is_typescript:
        return CompiledClient(typescript_client(client, templates.own), tuple(listed), client.methods, None)
    sources = package_sources(package, classes, program.shared)
    targets = [templates.target]
    rendered = [*render_tools(package, targets, sources).values()]
    rendered += render_shared(package, targets, sources).values()
    rendered.append(render_index(package, targets))
    files = client_files(client, listed, templates)
    made = _formatted([*rendered, files])
    return CompiledClient(dict(sorted(made.items())), tuple(listed), client.methods, client.uses)


def compile_specs(
    texts: Texts,
    targets: Sequence[Target],
    settings: PackageSettings,
    *,
    needs_tools: bool = True,
    wanted: Container[str] | None = None,
) -> dict[str, CompiledSpec]:
    """Compile specs together, or those of them that are `wanted`.

    What each of them compiles to depends on the shared files that it uses, and on no other file.
    """
    program = analyze(texts, targets, f"{settings.specs}/", needs_tools=needs_tools)
    program = choose_references(program, settings)  # → with what MCP publishes of their references
    program = without_suppressed_warnings(program)
    package = lower(program, settings)  # tools → every name and literal that templates print
    if wanted is not None:  # shared files beside them are only used
        package = replace(package, shared=tuple(each for each in package.shared if each.path in wanted))
    files = _files(program, package, targets)
    digests = {path: digest(text) for path, text in texts.items()}
    return collect(program, package, files, digests=digests, targets=targets)


def link(
    compiled: Mapping[str, CompiledSpec],
    targets: Sequence[Target],
    settings: PackageSettings,
    cache: Cache,
) -> LinkedPackage:
    """Join compiled specs to a package.

    Raises `SpecErrors` where two tools need one name, and for names of tools that no spec has.
    """
    if faults := _faults_together(compiled.values()):
        raise SpecErrors(faults)
    by_name = {spec.summary.wire_name: spec for spec in compiled.values() if spec.summary}
    specs = tuple(by_name[name] for name in sorted(by_name))
    index = _index_files(settings, specs, targets, cache)
    shared = tuple(spec for _, spec in sorted(compiled.items()) if spec.is_shared)
    if twice := sorted(index.keys() & {path for spec in (*specs, *shared) for path in spec.file_summaries}):
        raise TemplateBug(f"two templates print {twice[0]}")
    warnings = [warning for spec in compiled.values() for warning in spec.warnings]
    warnings += _warnings_together(specs, targets)
    return LinkedPackage(
        tools=specs,
        shared=shared,
        index=index,
        warnings=in_order(warnings),
    )


def _faults_together(compiled: Collection[CompiledSpec]) -> list[Diagnostic]:
    claims = [claim for spec in compiled for claim in spec.claims]
    names = [
        (spec.tool_name, [claim.name for claim in spec.claims if claim.kind is NameKind.ALIAS])
        for spec in compiled
        if spec.tool_name
    ]
    asked = (example for spec in compiled for example in spec.asked)
    return [*find_conflicts(claims), *find_unknown_tools(asked, names)]


def _warnings_together(specs: Sequence[CompiledSpec], targets: Sequence[Target]) -> tuple[Diagnostic, ...]:
    """Return the warnings about tools that only all of them together cause."""
    summaries = [spec.summary for spec in specs if spec.summary]
    asked = (example for spec in specs for example in spec.asked)
    return (*exceeded_request_limits(summaries, targets), *find_contradicting_asks(asked))


def _index_files(
    settings: PackageSettings, specs: Sequence[CompiledSpec], targets: Sequence[Target], cache: Cache
) -> Tree:
    """Return the files that belong to no spec; those of the last run if no name changed since."""
    if any(target.own for target in targets):
        return _formatted([render_index(_index_package(settings, specs, targets), targets)])
    # code lists names only: an edited description changes none of its files
    get = _name_fields if settings.publication is None else _summary_fields
    summaries = [get(spec.summary) for spec in specs if spec.summary]
    key = _index_key(options_digest(targets, settings), summaries)
    with suppress(ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return {str(path): str(text) for path, text in json.loads(cache[key])["files"].items()}
    files = _formatted([render_index(_index_package(settings, specs, targets), targets)])
    cache[key] = json.dumps({"files": dict(files)}).encode()
    return files


def _index_key(options: str, summaries: Sequence[object]) -> str:
    """Return the cache key of the files that belong to no spec, which depend on nothing else."""
    content = ["index files", options, summaries]
    return sha256(json.dumps(content, default=_cost_fields).encode()).hexdigest()


def _index_package(
    settings: PackageSettings, specs: Sequence[CompiledSpec], targets: Sequence[Target]
) -> Package:
    """Return what templates of the files of all tools see; built-in ones print only what is in summaries."""
    if any(target.own for target in targets):
        return Package.of(settings, tuple(spec.tool for spec in specs if spec.tool))
    summaries = tuple(spec.summary for spec in specs if spec.summary)
    return Package.of(settings, cast("tuple[Tool, ...]", summaries))


def options_digest(targets: Sequence[Target], settings: PackageSettings) -> str:
    """Return a hash of everything but the specs that the output depends on."""
    described = [
        [_limits(each.definition), dict(each.templates), each.asked, sorted(each.own)] for each in targets
    ]
    return sha256(json.dumps([asdict(settings), described]).encode()).hexdigest()


def _limits(target: TargetDefinition) -> list[Any]:
    strict = asdict(target.strict_limits) if target.strict_limits else None
    return [
        *(target.name, target.dialect, target.tool_name, target.max_description, target.max_tools, strict)
    ]


def _files(program: Program, package: Package, targets: Sequence[Target]) -> dict[str, Tree]:
    """The formatted files of each spec, by its path."""
    pages = _pages(program, package, targets) if any(target.name == DOCS.name for target in targets) else None
    classes = package_classes(package, program.shared)
    sources = package_sources(package, classes, program.shared, pages)
    of_tools = render_tools(package, targets, sources)
    paths = [tool.source.path for tool in program.tools]
    rendered = {path: of_tools[tool.py_name] for path, tool in zip(paths, package.tools, strict=True)}
    rendered |= render_shared(package, targets, sources)
    formatted = _formatted(rendered.values())
    return {name: {path: formatted[path] for path in files} for name, files in rendered.items()}


def _pages(program: Program, package: Package, targets: Sequence[Target]) -> dict[str, JsonObject]:
    """Return what the page about each tool says, by its Python name."""
    pairs = zip(program.tools, package.tools, strict=True)
    return {lowered.py_name: tool_page(tool, lowered, targets) for tool, lowered in pairs}


def _formatted(rendered: Collection[Tree]) -> Tree:
    """Return all files, laid out by one run of the formatter."""
    tree = {path: text for files in rendered for path, text in files.items()}
    return format_tree(tree, sorts_imports=True)
