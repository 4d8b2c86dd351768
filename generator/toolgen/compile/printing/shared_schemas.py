"""Schemas of shared files: each printed once as plain data, in a module that definitions of tools refer to.

A definition of a tool has the bundled schema, in whose `$defs` are copies. One that is, word for word, what a
shared file of the tool has is printed as a reference to the module of that file.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from toolgen.compile.python_source.imports import module_order
from toolgen.compile.python_source.literals import Subscript
from toolgen.language.package import Tool
from toolgen.language.program import SharedFile, SharedSchema

_FIELDS = frozenset(("input_schema", "output_schema"))


class PrintedDefinition(NamedTuple):
    """The definition of a tool with references to modules of shared files, and their imports."""

    data: Mapping[str, Any]
    imports: tuple[str, ...]


class SharedSchemas:
    """The schemas of shared files by their texts."""

    def __init__(self, files: Mapping[str, SharedFile]) -> None:
        self._files = files
        self._texts: dict[str, dict[str, str]] = {}  # path of a file → text of a schema → its name

    def of_file(self, path: str) -> dict[str, Any]:
        """Return the schemas of a file by name, as bundles have them."""
        file = self._files[path]
        definitions = file.document.schema["$defs"]
        return {each.name: definitions[key] for key, each in file.origins.items() if each.path == path}

    def definition_of(self, tool: Tool) -> PrintedDefinition:
        """Return the definition of a tool, with a reference in place of each schema of a shared file."""
        found = {
            field: self._found(document.schema.get("$defs"), tool.shared_files)
            for field, document in tool.documents.items()
        }
        files = sorted({each.path for places in found.values() for each in places.values()})
        modules = {path: self._files[path].py_name for path in files}
        names = {path: "SCHEMAS" if len(files) == 1 else f"{modules[path].upper()}_SCHEMAS" for path in files}

        def referring(field: str, schema: Mapping[str, Any]) -> Mapping[str, Any]:
            if not found[field]:
                return schema
            subscripts = {key: Subscript(names[each.path], each.name) for key, each in found[field].items()}
            return {**schema, "$defs": {**schema["$defs"], **subscripts}}

        data = dict(tool.definition)
        for field in _FIELDS & data.keys():
            data[field] = referring(field, data[field])
        if "chunk_schema" in found:
            stream = data["stream"]
            data["stream"] = {**stream, "chunk_schema": referring("chunk_schema", stream["chunk_schema"])}
        imports = (
            f"from ..schemas.{modules[path]} import SCHEMAS{'' if len(files) == 1 else f' as {names[path]}'}"
            for path in sorted(files, key=lambda path: module_order(modules[path]))
        )
        return PrintedDefinition(data, tuple(imports))

    def _found(self, definitions: Any, paths: Sequence[str]) -> dict[str, SharedSchema]:
        """Return the definitions of a bundle that shared files have word for word, by name."""
        if not isinstance(definitions, Mapping) or not paths:
            return {}
        texts = {name: json.dumps(definition) for name, definition in definitions.items()}
        return {
            name: SharedSchema(path, self._names(path)[text])
            for name, text in texts.items()
            for path in reversed(paths)
            if text in self._names(path)
        }

    def _names(self, path: str) -> Mapping[str, str]:
        if path not in self._texts:
            schemas = self.of_file(path)
            self._texts[path] = {json.dumps(schema): name for name, schema in schemas.items()}
        return self._texts[path]
