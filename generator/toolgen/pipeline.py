"""The product, as a table of contents."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping, Sequence
from dataclasses import dataclass

from toolgen.data.bug import TemplateBug
from toolgen.data.diagnostic import Diagnostic, SpecErrors
from toolgen.data.kept import Kept
from toolgen.data.model import Model, Settings
from toolgen.data.program import Program
from toolgen.data.target import Target
from toolgen.data.tree import Tree
from toolgen.steps.compare import digest
from toolgen.steps.crowd import crowd
from toolgen.steps.fit import fit
from toolgen.steps.format import format_files, format_tree
from toolgen.steps.keep import is_true, keep, key_of, of_bytes, options_of, quarrel, to_bytes
from toolgen.steps.lower import lower
from toolgen.steps.models import models
from toolgen.steps.parse import is_shared, parse
from toolgen.steps.read import read
from toolgen.steps.render import render, render_index, render_tools
from toolgen.steps.resolve import resolve

Made = Mapping[str, bytes] | None
"""Path → what to keep of it; None where specs were refused."""

Crew = Callable[[Callable[[Sequence[str]], Made], Sequence[str]], Iterable[Made]]
"""Who does the work: calls the function until every path was asked for, some paths at a time."""


@dataclass(frozen=True, slots=True)
class Output:
    """What there is to write, and what there is to say."""

    tree: Tree
    warnings: tuple[Diagnostic, ...]
    uses: Mapping[str, tuple[str, ...]]  # the spec of each tool, as shown → the shared files that it uses


def alone(make: Callable[[Sequence[str]], Made], paths: Sequence[str]) -> Iterator[Made]:
    """A crew of one, which does everything at once."""
    yield make(paths)


def compile_specs(
    texts: Mapping[str, bytes | str],
    targets: Sequence[Target],
    settings: Settings,
    cache: MutableMapping[str, bytes],
    crew: Crew = alone,
) -> Output:
    """YAML text in, source text out. No files of yours, no clock, no network; `cache` may be a dict.

    `texts` is posix path below the specs folder → what the file holds. What `cache` knows of a spec that did
    not change is taken from there; the others are made by `crew`. Raises `SpecErrors` with every fault that a
    step could find.
    """
    job = _Job(texts, targets, settings, cache)
    kept = job.recall()  # what did not change since it was made
    made = job.make(kept, crew)  # the rest, one spec not looking at another
    if made is None or quarrel(made.values()):
        made = job.make_together()  # all at once: says everything that is wrong with them
    tools = sorted((each for each in made.values() if each.tool), key=_wire_name)
    crowded = crowd([each.tool for each in tools if each.tool], targets)
    return Output(
        tree=job.assemble(tools),
        warnings=_ordered(made.values(), crowded),
        uses={each.file: tuple(sorted(each.uses)) for each in tools},
    )


def understand(texts: Mapping[str, bytes | str], targets: Sequence[Target], prefix: str = "") -> Program:
    """Everything there is to know about the specs; places in them are shown with `prefix` before the path."""
    sources = read(texts, prefix)  # text    → data that remembers where it was written
    parsed = parse(sources)  # data    → specs, every field typed
    program = resolve(parsed)  # specs   → one program, every reference bound
    return fit(program, targets)  # program → the same program, fit for its targets


def emit(
    program: Program, targets: Sequence[Target], settings: Settings, cache: MutableMapping[str, bytes]
) -> Tree:
    """The output of a program that is understood."""
    model = lower(program, settings)  # program → what templates see: named, sorted, frozen
    tree = {**models(model, cache), **render(model, targets)}  # model → {path: text}
    return format_tree(tree)  # text    → the same text, laid out


def emit_tools(
    program: Program, targets: Sequence[Target], settings: Settings, cache: MutableMapping[str, bytes]
) -> tuple[Model, dict[str, Tree]]:
    """Of the same output, the files of single tools by the tools' Python names; and what was printed."""
    model = lower(program, settings)
    printed, shapes = render_tools(model, targets), models(model, cache)
    own = {name: {path: shapes[path], **printed[name]} for name, path in _model_files(model)}
    laid_out = format_tree({path: text for tree in own.values() for path, text in tree.items()})
    return model, {name: {path: laid_out[path] for path in tree} for name, tree in own.items()}


def _model_files(model: Model) -> Iterator[tuple[str, str]]:
    return ((tool.py_name, f"models/{tool.py_name}.py") for tool in model.tools)


def _ordered(made: Iterable[Kept], more: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    found = {warning for each in made for warning in each.warnings} | {*more}
    return tuple(sorted(found, key=lambda each: (each.span, each.code, each.message)))


def _wire_name(kept: Kept) -> str:
    return kept.tool.wire_name if kept.tool else ""


class _Job:
    """One compilation, spec by spec: what is known of each, and how to find out."""

    def __init__(
        self,
        texts: Mapping[str, bytes | str],
        targets: Sequence[Target],
        settings: Settings,
        cache: MutableMapping[str, bytes],
    ) -> None:
        self._texts, self._targets, self._settings, self._cache = texts, targets, settings, cache
        self._digests = {path: digest(text) for path, text in texts.items()}
        options = options_of(targets, settings)
        self._keys = {path: key_of(options, path, found) for path, found in self._digests.items()}
        self._shared: list[str] = []

    def recall(self) -> dict[str, Kept]:
        """What the cache knows and is still true."""
        found = {path: of_bytes(self._cache.get(key, b"")) for path, key in self._keys.items()}
        return {path: kept for path, kept in found.items() if kept and is_true(kept, self._digests)}

    def make(self, kept: Mapping[str, Kept], crew: Crew) -> dict[str, Kept] | None:
        """`kept` and what it lacks, by itself; None where something is refused."""
        missing = [path for path in self._texts if path not in kept]
        fresh = [path for path in missing if is_shared(self._texts[path])]
        self._shared = [*fresh, *(path for path, each in kept.items() if each.is_shared)]
        tools = [path for path in missing if path not in set(fresh)]
        if fresh and not tools:  # shared schemas are looked at beside a tool
            tools = [path for path, each in kept.items() if each.tool][:1]
        made = dict(kept)
        for part in crew(self._make, tools) if tools else ():
            if part is None:
                return None
            made |= self._remembered(part)
        whole = made.keys() == self._texts.keys() and any(each.tool for each in made.values())
        return made if whole else None

    def make_together(self) -> dict[str, Kept]:
        """Everything, all specs looked at together. Raises `SpecErrors`."""
        return self._remembered(self._pieces(self._texts))

    def assemble(self, tools: Sequence[Kept]) -> Tree:
        """The files of single tools, as they are kept, and those that all tools share."""
        known = tuple(each.tool for each in tools if each.tool)
        exports = tuple(sorted(name for tool in known for name in tool.exports))
        model = Model(self._settings.package, self._settings.implementations, known, exports)
        index = render_index(model, self._targets)
        own = {path: text for each in tools for path, text in (each.tree or {}).items()}
        if twice := sorted(index.keys() & own.keys()):
            raise TemplateBug(f"two templates print {twice[0]}")
        return {**own, **format_files(index, self._cache)}

    def _make(self, paths: Sequence[str]) -> Made:
        try:
            return self._pieces({path: self._texts[path] for path in (*paths, *self._shared)})
        except SpecErrors:
            return None

    def _pieces(self, texts: Mapping[str, bytes | str]) -> dict[str, bytes]:
        program = understand(texts, self._targets, f"{self._settings.specs}/")
        model, trees = emit_tools(program, self._targets, self._settings, self._cache)
        return {path: to_bytes(each) for path, each in keep(program, model, trees, self._digests).items()}

    def _remembered(self, pieces: Mapping[str, bytes]) -> dict[str, Kept]:
        made: dict[str, Kept] = {}
        for path, data in pieces.items():
            self._cache[self._keys[path]] = data
            if kept := of_bytes(data):
                made[path] = kept
        return made
