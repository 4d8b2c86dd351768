"""The product, as a table of contents."""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping, Sequence
from dataclasses import dataclass

from toolgen.data.diagnostic import Diagnostic
from toolgen.data.model import Settings
from toolgen.data.program import Program
from toolgen.data.target import Target
from toolgen.data.tree import Tree
from toolgen.steps.fit import fit
from toolgen.steps.format import format_tree
from toolgen.steps.lower import lower
from toolgen.steps.models import models
from toolgen.steps.parse import parse
from toolgen.steps.read import read
from toolgen.steps.render import render
from toolgen.steps.resolve import resolve


@dataclass(frozen=True, slots=True)
class Output:
    """What there is to write, what there is to say, and the program that both came from."""

    tree: Tree
    warnings: tuple[Diagnostic, ...]
    program: Program


def compile_specs(
    texts: Mapping[str, bytes | str],
    targets: Sequence[Target],
    settings: Settings,
    cache: MutableMapping[str, bytes],
) -> Output:
    """YAML text in, source text out. No files of yours, no clock, no network; `cache` may be a dict.

    `texts` is posix path below the specs folder → what the file holds. Raises `SpecErrors` with every fault
    that a step could find.
    """
    program = understand(texts, targets, f"{settings.specs}/")
    return Output(emit(program, targets, settings, cache), program.warnings, program)


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
