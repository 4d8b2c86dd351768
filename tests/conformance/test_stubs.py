"""TypeScript types of published tools: `tsc --strict` reads them, and they accept every valid value."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from toolgen.changes.comparing.source_definitions import read_source_definitions
from toolgen.compile.stubs.catalogue import catalogue_types
from toolgen.compile.stubs.printed import print_stubs
from toolgen.compile.stubs.typescript import type_definitions, type_text
from toolgen.proof.instances import InstanceGenerator
from toolgen.runtime.definition.tool_definition import ToolDefinition

from tests.corpora import corpus
from tests.stubs.catalogues import HARD
from tools.corpus.refused_values import refused_values

from .conftest import PACKAGES, install

pytestmark = pytest.mark.conformance

VALUES = 3  # of each schema: valid ones, and ones that are nearly valid


@pytest.fixture(scope="module")
def tsc(environment: dict[str, str]) -> Any:
    install("typescript@7", path=environment["PATH"])

    def run(folder: Path) -> list[str]:
        """Return the errors of `tsc --strict` about the modules in a folder."""
        config = {
            "compilerOptions": {
                "strict": True,
                "noEmit": True,
                "moduleDetection": "force",
                "target": "esnext",
                "types": [],
            },
            "include": ["*.ts"],
        }
        (folder / "tsconfig.json").write_text(json.dumps(config))
        command = [os.fspath(PACKAGES / "node_modules/.bin/tsc"), "-p", os.fspath(folder)]
        done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
        return [line for line in done.stdout.splitlines() if ": error " in line]

    return run


@pytest.fixture(scope="module")
def published() -> list[ToolDefinition]:
    return read_source_definitions(str(corpus("mcp_tools.public.jsonl")), ".")


def test_stubs_are_valid_typescript(tsc: Any, published: list[ToolDefinition], tmp_path: Path) -> None:
    (tmp_path / "hard.ts").write_text(print_stubs(HARD, "typescript").text)
    (tmp_path / "published.ts").write_text(print_stubs(published, "typescript").text)
    assert tsc(tmp_path) == []
    (tmp_path / "planted.ts").write_text("export declare function bad(): Missing;\n")
    assert len(tsc(tmp_path)) == 1


def test_types_accept_every_valid_value(tsc: Any, published: list[ToolDefinition], tmp_path: Path) -> None:
    schemas = dict(_schemas([*HARD, *published]))
    checked: Counter[str] = Counter()
    for name, schema in schemas.items():
        (tmp_path / f"types_{name}.ts").write_text(_our_types(schema))
        generator = InstanceGenerator(schema)
        values = {
            "valid": [*generator.valid_values(seed=0, count=VALUES)],
            "nearly": [*refused_values(generator, seed=0, count=VALUES)],
        }
        for kind, each in values.items():
            checked[kind] += len(each)
            (tmp_path / f"check_{kind}_{name}.ts").write_text(_assignments(f"types_{name}", each))
    refused = _refused(tsc(tmp_path))
    print({kind: f"{refused[kind]} of {checked[kind]} refused" for kind in checked})
    assert refused["valid"] == 0, refused
    assert checked["valid"] > len(schemas)
    assert refused["nearly"] > 0  # a type cannot say what limits and patterns say


def _schemas(definitions: Sequence[ToolDefinition]) -> Any:
    for number, definition in enumerate(definitions):
        for key in ("input_schema", "output_schema"):
            if key in definition:
                yield f"{number}_{key}", definition[key]  # type: ignore[literal-required]


def _our_types(schema: Mapping[str, Any]) -> str:
    """Return the declarations of a schema, whose type is `Root`."""
    tool: Any = {
        "name": "root",
        "description": "",
        "input_schema": {"type": "object"},
        "output_schema": schema,
    }
    catalogue = catalogue_types([tool])
    (types,) = catalogue.tools
    assert types.response is not None
    declared = "\n".join(type_definitions(catalogue, open_objects=True).values())
    return f"{declared}\nexport type Root = {type_text(types.response)};\n"


def _assignments(module: str, values: Sequence[Any]) -> str:
    """Return a module in which each value must have the type `Root` of another."""
    lines = [f'import type {{ Root }} from "./{module}";']
    for number, value in enumerate(values):
        # `__proto__` in a literal would be no key
        text = json.dumps(value).replace('"__proto__":', '["__proto__"]:')
        lines.append(f"export const value{number}: Root = {text};")
    return "\n".join(lines) + "\n"


def _refused(errors: Sequence[str]) -> Counter[str]:
    """Return how many values of each kind the types refuse."""
    found: set[tuple[str, str]] = set()
    for error in errors:
        place = re.match(r".*check_(valid|nearly)_(\w+\.ts\(\d+),", error)
        assert place is not None, error
        found.add((place[1], place[2]))
    return Counter(kind for kind, _ in found)
