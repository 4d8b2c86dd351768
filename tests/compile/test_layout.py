"""Built-in templates print sorted imports, so that ruff sorts those of a project's own templates only."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest
import toolgen.compile.printing.format as formatter
from toolgen.compile.pipeline import compile_project
from toolgen.compile.printing.format import format_tree
from toolgen.language.package import PackageSettings
from toolgen.language.target import Target
from toolgen.language.targets.definition import TargetDefinition

from tests.models.helpers import TARGETS

WORDS = [
    "create",
    "update",
    "a",
    "b",
    "list_of",
    "order",
    "Orders",
    "HTTP",
    "v2",
    "10",
    "007",
    "warehouse",
    "manufacturing",
    "customer_relationship",
    "SipAuthCallsIpAccessControl",
    "x7",
]
PROSE = ['say "hi"', "it's", "—", "- item", "back\\slash", "#", "`x`:", "é", "日本", *WORDS]
TYPES = ["sqlite3.Connection", "httpx.AsyncClient", "app.db.Session", "app.LongNameOfAClass", "typing.Any"]
TYPES += [
    "int",
    "collections.abc.Sized",
    "collections.OrderedDict",
    "http.client.X",
    "abc.ABC",
    "_csv.Dialect",
]


class Specs:
    """Specs of every kind, the same ones for the same seed."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)

    def some(self, count: int) -> dict[str, str]:
        return {f"t{number}.yaml": json.dumps(self.spec(number)) for number in range(count)}

    def content(self) -> dict[str, Any]:
        return {
            "content": self.random.choice(
                ["any", [{"type": "image", "min": 1}], [{"type": "text"}, {"type": "file"}]]
            )
        }

    def spec(self, number: int) -> dict[str, Any]:
        properties = {f"{self.name(2)}{at}": self.property() for at in range(self.random.randint(0, 4))}
        optional: list[dict[str, Any]] = [
            {"title": self.prose(10)},
            {"output_schema": {"type": "object", "properties": {"a": {"type": "string"}}}},
            {"errors": [self.error(at) for at in range(self.random.randint(1, 4))]},
            {
                "inject": [
                    {"name": f"p{at}", "type": type_} for at, type_ in enumerate(self.random.sample(TYPES, 3))
                ]
            },
            self.random.choice(
                [
                    {"confirm": {"message": "Really?", "preview": self.random.random() < 0.6}},
                    {"stream": {"chunk_schema": {"type": "object", "properties": {"a": {"type": "string"}}}}},
                ]
            ),
            self.content(),
            {"x-team": {"names": ["a", "b"]}},
            {"aliases": [f"alias_{number}"]},
            {"examples": [{"name": "nothing", "input": {}}]},
            {"targets": {"openai": {"strict": True}}},
        ]
        spec = {
            "name": f"t{number}_{self.name(9)}"[:64],
            "description": self.paragraphs(),
            "input_schema": {"type": "object", "properties": properties},
        }
        for fields in optional:
            spec |= fields if self.random.random() < 0.5 else {}
        return spec

    def property(self) -> dict[str, Any]:
        return {
            "type": self.random.choice(["string", "integer", "object"]),
            "description": self.paragraphs(),
        }

    def error(self, number: int) -> dict[str, Any]:
        code = f"e{number}_{self.name(4)}".lower()[:60]
        return {"code": code, "description": self.paragraphs(), "hint": self.prose(20)}

    def name(self, most: int) -> str:
        return "_".join(self.random.choices(WORDS, k=self.random.randint(1, most)))

    def prose(self, most: int) -> str:
        return " ".join(self.random.choices(PROSE, k=self.random.randint(1, most)))

    def paragraphs(self) -> str:
        between = self.random.choice([" ", "\n", "\n\n", "\n    "])
        return between.join(self.prose(25) for _ in range(self.random.randint(1, 3)))


@pytest.mark.parametrize("seed", range(3))
def test_ruff_would_sort_nothing(seed: int) -> None:
    tree = dict(compile_project(Specs(seed).some(25), TARGETS, PackageSettings(), {}).tree)
    assert format_tree(tree, tree.keys()) == tree


@pytest.mark.parametrize(
    "settings", [PackageSettings(server_name="a", server_version=""), PackageSettings("a")]
)
def test_ruff_would_sort_nothing_in_a_package_of_one_tool(settings: PackageSettings) -> None:
    tree = dict(compile_project(Specs(9).some(1), TARGETS, settings, {}).tree)
    assert format_tree(tree, tree.keys()) == tree


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """Return the arguments of each run of ruff, the files of `check` last."""
    found: list[list[str]] = []
    monkeypatch.setattr(formatter, "_ruff", lambda arguments, _folder: found.append(arguments))
    return found


def test_ruff_runs_once_over_the_files_of_all_specs(runs: list[list[str]]) -> None:
    compile_project(Specs(0).some(10), TARGETS, PackageSettings(), {})
    assert [run[0] for run in runs] == ["format", "format"], "the files of no spec have a run of their own"


def test_ruff_sorts_the_imports_of_templates_of_the_project(runs: list[list[str]]) -> None:
    own = {
        "names.py.jinja": "NAMES = [{% for tool in model.tools %}{{ tool.wire_name | literal }},{% endfor %}]\n"
    }
    acme = Target(
        TargetDefinition("acme", tool_name=""), own, own=dict.fromkeys(own, "templates/acme/names.py.jinja")
    )
    compile_project(Specs(0).some(3), [*TARGETS, acme], PackageSettings(), {})
    assert [run[-1] for run in runs if run[0] == "check"] == ["names.py"]
