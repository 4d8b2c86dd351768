"""An OpenAPI document as specs, from its data to what is written."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

from toolgen.importers.imported_tool import ImportedTool
from toolgen.importers.names import ExistingNames
from toolgen.importers.openapi.document import Library, Load, Place
from toolgen.importers.openapi.operations import all_operations, selected
from toolgen.importers.openapi.tags import per_tag
from toolgen.importers.openapi.tools import OWNED, Reader, per_operation
from toolgen.importers.openapi.variables import Variables, stem_of

__all__ = ["OWNED", "Wanted", "import_openapi"]


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the importer is asked for."""

    include: Sequence[str] = ()
    exclude: Sequence[str] = ()
    per: str = "operation"  # or "tag"
    prefix: str = "APP"  # of all environment variables
    stem: str = ""  # what earlier specs' variables begin with, which these go on with
    allowed: Sequence[str] = ()  # credentials of others that may be sent to this API


def import_openapi(
    data: Any, name: str, load: Load, wanted: Wanted, decided: ExistingNames, tell: Callable[[int, int], None]
) -> list[ImportedTool]:
    """The tools in a document that messages call `name`. Raises `SourceError`.

    `load` reads the files that it refers to; `tell` is told how many tools are done, and of how many.
    """
    library = Library(name, data, load)
    operations = selected(all_operations(library), wanted.include, wanted.exclude)
    done = count(1)
    title = str(library.member(library.root, Place("", ()), "info").get("title") or "")
    variables = Variables(wanted.stem or stem_of(wanted.prefix, title), wanted.allowed)
    reader = Reader(library, variables, lambda: tell(next(done), len(operations)))
    make = per_tag if wanted.per == "tag" else per_operation
    made = list(make(reader, operations, decided))
    if made:
        told = (*reader.repairs.told(), *made[0].notes)
        made[0] = replace(made[0], notes=told)
    return made
