"""Program, tree → what is kept of each spec, as bytes for a cache; and back again.

What a spec comes to by itself depends on its own text, on the shared files that it uses, and on the options
that all specs have. A key has the first and the last in it; the entry, the hashes of the shared files.
JSON, because a cache is a place that others may have written to: reading it runs nothing.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, fields, replace
from functools import lru_cache
from hashlib import sha256
from typing import Any

from toolgen.data.changes import Tree
from toolgen.data.diagnostic import Diagnostic
from toolgen.data.kept import Kept
from toolgen.data.package import ErrorClass, Import, Package, PackageSettings, Tool
from toolgen.data.program import Program, ProgramTool, PublishedTool
from toolgen.data.target import Target
from toolgen.python_source.literals import Printed, literal

_FORMAT = 3


def options_of(targets: Sequence[Target], settings: PackageSettings) -> str:
    """A hash of everything but the specs' texts that the output depends on."""
    named = [[each.name, each.dialect, each.tool_name, dict(each.templates), each.asked] for each in targets]
    return sha256(json.dumps([_FORMAT, asdict(settings), named]).encode()).hexdigest()


def key_of(options: str, path: str, digest: str) -> str:
    """The key of what is kept of the file at `path`, whose text has the hash `digest`."""
    return sha256(json.dumps(["spec", options, path, digest]).encode()).hexdigest()


def keep(
    program: Program, model: Package, trees: Mapping[str, Tree], digests: Mapping[str, str]
) -> dict[str, Kept]:
    """Path → what is kept of it, for every file of `program`; `trees` is each tool's own files, laid out."""

    def kept(tool: ProgramTool) -> Kept:
        return Kept(tool.source.file, _hashes(tool.source.path, tool.uses, digests), tool.warnings)

    found = {path: Kept("", _hashes(path, uses, digests)) for path, uses in program.shared.items()}
    found |= {tool.source.path: kept(tool) for tool in program.idle}
    for tool, lowered in zip(program.tools, model.tools, strict=True):
        claims = tuple(sorted(set(_claims(tool, lowered))))
        tree = trees[lowered.py_name]
        found[tool.source.path] = replace(kept(tool), tool=lowered, tree=tree, claims=claims)
    return found


def is_true(kept: Kept, digests: Mapping[str, str]) -> bool:
    """Whether the shared files that `kept` was made with are still what they were."""
    return all(digests.get(path) == digest for path, digest in kept.uses.items())


def quarrel(kept: Iterable[Kept]) -> bool:
    """Whether two tools may want the same name: the steps look at all of them together and say which."""
    claims = [claim for each in kept for claim in each.claims]
    return len(claims) != len(set(claims))


def _hashes(path: str, uses: Iterable[str], digests: Mapping[str, str]) -> dict[str, str]:
    return {other: digests[other] for other in uses if other != path}


def _claims(tool: ProgramTool, lowered: Tool) -> Iterator[str]:
    for name in (lowered.wire_name, *tool.spec.aliases):
        yield f"tool {name}"
    for target, fit in tool.fits.items():
        yield f"{target}: {fit.name}"
    for name in (lowered.py_name, lowered.tool_class.removesuffix("Tool")):
        yield f"python {name}"


def to_bytes(kept: Kept) -> bytes:
    """`kept` as JSON. Raises ValueError for text that is no Unicode, which then is not kept."""
    data = {
        "file": kept.file,
        "uses": dict(kept.uses),
        "warnings": [warning.as_data() for warning in kept.warnings],
        "tool": None if kept.tool is None else _tool_data(kept.tool),
        "tree": None if kept.tree is None else dict(kept.tree),
        "claims": kept.claims,
    }
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode()


@lru_cache(maxsize=8192)  # a process that stays reads the same entries again and again
def of_bytes(data: bytes) -> Kept | None:
    """What `to_bytes` made; None for anything else."""
    try:
        content = json.loads(data)
        return Kept(
            content["file"],
            content["uses"],
            tuple(map(Diagnostic.of_data, content["warnings"])),
            None if content["tool"] is None else _tool_of(content["tool"]),
            content["tree"],
            tuple(content["claims"]),
        )
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None


_FIELDS = tuple(field.name for field in fields(Tool))
_TUPLES = ("exports", "model_classes", "awaited")


def _tool_data(tool: Tool) -> dict[str, Any]:
    """The fields of a tool; a schema that stands in several of them is written once."""
    own = tool.input_schema
    data = {name: getattr(tool, name) for name in _FIELDS}
    data["definition"] = {
        key: None if value is own or value is tool.output_schema else value
        for key, value in tool.definition.items()
    }
    data["errors"] = [asdict(error) for error in tool.errors]
    data["imports"] = [asdict(each) for each in tool.imports]
    data["fits"] = {
        name: [fit.name, fit.strict, *(() if fit.input_schema is own else _printed(fit.input_schema))]
        for name, fit in tool.fits.items()
    }
    return {**data, "printed": literal(tool.definition)}


def _printed(data: Mapping[str, Any]) -> tuple[Mapping[str, Any], str]:
    """`data` and its Python expression: dear to make for a thousand tools whenever one of them changes."""
    return data, literal(data)


def _tool_of(data: dict[str, Any]) -> Tool:
    own = data["input_schema"]
    for key in ("input_schema", "output_schema"):
        if key in data["definition"] and data["definition"][key] is None:
            data["definition"][key] = data[key]
    data["errors"] = tuple(ErrorClass(**error) for error in data["errors"])
    data["imports"] = tuple(Import(**each) for each in data["imports"])
    data["definition"] = Printed(data["definition"], data.pop("printed"))
    data["fits"] = {
        name: PublishedTool(published, Printed(*schema) if schema else own, strict)
        for name, (published, strict, *schema) in data["fits"].items()
    }
    return Tool(**{**data, **{name: tuple(data[name]) for name in _TUPLES}})
