"""Check the names in one spec: repeated, reserved or ambiguous ones."""

from __future__ import annotations

import keyword
from collections.abc import Iterable, Iterator

from toolgen.data.diagnostic import Diagnostic, Note
from toolgen.data.source import Source
from toolgen.data.spec import Spec
from toolgen.schema.document import JsonPath

RESERVED = frozenset(("self", "request", "context"))  # the other arguments of `execute`

YAML_BOOLEANS = frozenset(("y", "n", "yes", "no", "on", "off"))  # of YAML 1.1, in any case


def check_names(spec: Spec, source: Source) -> Iterator[Diagnostic]:
    """Yield a fault for each error code, injected name, alias or example name that is taken."""
    errors = [(error.code, ("errors", i, "code")) for i, error in enumerate(spec.errors)]
    injected = [(inject.name, ("inject", i, "name")) for i, inject in enumerate(spec.inject)]
    aliases = [(alias, ("aliases", i)) for i, alias in enumerate(spec.aliases)]
    examples = [(example.name, ("examples", i, "name")) for i, example in enumerate(spec.examples)]
    yield from _repeated(source, "error code", errors)
    yield from _repeated(source, "injected name", injected)
    yield from _repeated(source, "alias", [(spec.name, ("name",)), *aliases])
    yield from _repeated(source, "example name", examples)
    if spec.name.lower() in YAML_BOOLEANS and not _is_quoted(source, ("name",)):
        yield Diagnostic(
            source.value(("name",)),
            "ambiguous-name",
            f"many YAML parsers read {spec.name} as a boolean",
            f'quote it: "{spec.name}"',
        )
    for name, path in injected:
        if name in RESERVED or keyword.iskeyword(name):
            why = "a keyword of Python" if keyword.iskeyword(name) else "another argument of `execute`"
            yield Diagnostic(
                source.value(path),
                "taken-name",
                f"{name!r} is {why}",
                f"rename it, for example to {name}_value",
            )


def _repeated(source: Source, what: str, names: Iterable[tuple[str, JsonPath]]) -> Iterator[Diagnostic]:
    first: dict[str, JsonPath] = {}
    for name, path in names:
        if name not in first:
            first[name] = path
            continue
        other = Note(
            source.value(first[name]), "the tool's own name" if first[name] == ("name",) else "first here"
        )
        yield Diagnostic(
            source.value(path),
            "duplicate-name",
            f"the {what} {name!r} is used twice",
            "remove one",
            (other,),
        )


def _is_quoted(source: Source, path: JsonPath) -> bool:
    span = source.value(path)
    return source.text.split("\n")[span.line - 1][span.column - 1 : span.column] in ('"', "'")
