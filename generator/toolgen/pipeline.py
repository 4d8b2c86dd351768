"""The product, as a table of contents."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, MutableMapping, Sequence
from dataclasses import dataclass

from toolgen.compile.adapt import adapt
from toolgen.compile.compare import digest
from toolgen.compile.format import format_files, format_tree
from toolgen.compile.keep import keep, options_of
from toolgen.compile.lower import lower
from toolgen.compile.models import models
from toolgen.compile.parse import parse
from toolgen.compile.read import read
from toolgen.compile.render import render, render_index, render_tools
from toolgen.compile.request_limits import exceeded_request_limits
from toolgen.compile.resolve import resolve
from toolgen.data.bug import TemplateBug
from toolgen.data.changes import Tree
from toolgen.data.diagnostic import Diagnostic
from toolgen.data.kept import Kept
from toolgen.data.package import Package, PackageSettings, Tool
from toolgen.data.program import Program
from toolgen.data.target import Target
from toolgen.incremental import Crew, Job, Texts, alone, done

Cache = MutableMapping[str, bytes]


@dataclass(frozen=True, slots=True)
class Output:
    """What there is to write, and what there is to say."""

    tree: Tree
    warnings: tuple[Diagnostic, ...]
    uses: Mapping[str, tuple[str, ...]]  # the spec of each tool, as shown → the shared files that it uses


def compile_specs(
    texts: Texts, targets: Sequence[Target], settings: PackageSettings, cache: Cache, crew: Crew = alone
) -> Output:
    """YAML text in, source text out. No files of yours, no clock, no network; `cache` may be a dict.

    What `cache` knows of a spec that did not change is taken from there; the others are made by `crew`.
    Raises `SpecErrors` with every fault that a step could find.
    """

    def make(some: Texts) -> Mapping[str, Kept]:  # specs that are looked at together
        program = understand(some, targets, f"{settings.specs}/")
        model, trees = emit_tools(program, targets, settings, cache)
        return keep(program, model, trees, {path: digest(text) for path, text in some.items()})

    made = done(Job(texts, options_of(targets, settings), make, cache), crew).values()
    kept = {each.tool.wire_name: each for each in made if each.tool}
    kept = {name: kept[name] for name in sorted(kept)}
    crowded = exceeded_request_limits([each.tool for each in kept.values() if each.tool], targets)
    return Output(
        tree=assemble([*kept.values()], targets, settings, cache),
        warnings=_ordered(made, crowded),
        uses={each.file: tuple(sorted(each.uses)) for each in kept.values()},
    )


def understand(texts: Texts, targets: Sequence[Target], prefix: str = "") -> Program:
    """Everything there is to know about the specs; places in them are shown with `prefix` before the path."""
    sources = read(texts, prefix)  # text    → data that remembers where it was written
    parsed = parse(sources)  # data    → specs, every field typed
    program = resolve(parsed)  # specs   → one program, every reference bound
    return adapt(program, targets)  # program → the same program, fit for its targets


def emit(program: Program, targets: Sequence[Target], settings: PackageSettings, cache: Cache) -> Tree:
    """The output of a program that is understood."""
    model = lower(program, settings)  # program → what templates see: named, sorted, frozen
    tree = {**models(model, cache), **render(model, targets)}  # model → {path: text}
    return format_tree(tree)  # text    → the same text, laid out


def emit_tools(
    program: Program, targets: Sequence[Target], settings: PackageSettings, cache: Cache
) -> tuple[Package, dict[str, Tree]]:
    """Of the same output, the files of single tools by the tools' Python names; and what was printed."""
    model = lower(program, settings)
    printed, shapes = render_tools(model, targets), models(model, cache)
    own = {name: {path: shapes[path], **printed[name]} for name, path in _model_files(model.tools)}
    laid_out = format_tree({path: text for tree in own.values() for path, text in tree.items()})
    return model, {name: {path: laid_out[path] for path in tree} for name, tree in own.items()}


def assemble(
    kept: Sequence[Kept], targets: Sequence[Target], settings: PackageSettings, cache: Cache
) -> Tree:
    """Of the same output, all: the files of single tools, as they are kept, and those that all share."""
    tools = tuple(each.tool for each in kept if each.tool)
    model = Package.of(settings, tools)
    index = render_index(model, targets)
    own = {path: text for each in kept for path, text in (each.tree or {}).items()}
    if twice := sorted(index.keys() & own.keys()):
        raise TemplateBug(f"two templates print {twice[0]}")
    return {**own, **format_files(index, options_of(targets, settings), cache)}


def _model_files(tools: Iterable[Tool]) -> Iterable[tuple[str, str]]:
    return ((tool.py_name, f"models/{tool.py_name}.py") for tool in tools)


def _ordered(made: Iterable[Kept], more: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    found = {warning for each in made for warning in each.warnings} | {*more}
    return tuple(sorted(found, key=lambda each: (each.span, each.code, each.message)))
