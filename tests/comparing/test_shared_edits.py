"""One edit of a shared file is one finding, however many tools it concerns."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Cli

TOOLS = 8
SHARED = """\
$defs:
  Quantity: {type: integer, minimum: 1, maximum: 100}
  Item: {type: object, properties: {n: {$ref: '#/$defs/Quantity'}}}
"""
SPEC = Path(__file__).with_name("shared_edits.yaml").read_text("utf-8")
REASON = "no order had more"


def write(root: Path, edit: tuple[str, str], *, tools: int) -> None:
    """Write two versions of a project with one edit of the shared file, and of references to it."""
    root.mkdir(exist_ok=True)
    (root / "toolgen.toml").write_text("")
    for side, change in (("old", ("", "")), ("specs", edit)):
        (root / side).mkdir()
        (root / side / "shop.yaml").write_text(SHARED.replace(*change))
        for number in range(tools):
            name = f"tool_{number:03}"
            (root / side / f"{name}.yaml").write_text(SPEC.replace("NAME", name).replace(*change))


@pytest.fixture(scope="module")
def lowered(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project whose tools, each with a property of its own, share a schema with a lower bound now."""
    root = tmp_path_factory.mktemp("shared")
    write(root, ("maximum: 100", "maximum: 50"), tools=TOOLS)
    return root


@pytest.fixture
def cli(lowered: Path, capsys: pytest.CaptureFixture[str]) -> Cli:
    return Cli(lowered, capsys)


@contextmanager
def accepted(cli: Cli, entry: str) -> Iterator[None]:
    """Have an entry in `breaking.toml`."""
    file = cli.root / "breaking.toml"
    file.write_text(f'[[accept]]\ncode = "limit-tightened"\nreason = "{REASON}"\n{entry}\n')
    try:
        yield
    finally:
        file.unlink()


def errors(cli: Cli) -> list[dict[str, Any]]:
    done = cli("breaking", "--against", "old", "--format", "json")
    return [each for each in json.loads(done.out)["findings"] if each["level"] == "error"]


def test_one_edit_is_one_finding_that_lists_its_tools(cli: Cli) -> None:
    done = cli("breaking", "--against", "old")
    assert done.code == 1
    assert done.err == "1 break, 1 warning, 0 undecided; 1 safe change (--level info shows them)\n"
    assert (
        "specs/shop.yaml:2:41: error[limit-tightened] 8 tools: request: 'maximum' of 'Quantity'" in done.out
    )
    assert "= tools: tool_000, tool_001, tool_002, tool_003, tool_004 and 3 more" in done.out
    assert '= witness: {"tool_000": 51} was valid, and no longer is (of tool_000)' in done.out


@pytest.mark.parametrize("key", ["pointer", "fingerprint"])
def test_one_entry_accepts_it(cli: Cli, key: str) -> None:
    (found,) = errors(cli)
    with accepted(cli, f'{key} = "{found[key]}"'):
        done = cli("breaking", "--against", "old")
    assert done.code == 0
    assert done.err.startswith("0 breaks, ")
    assert "accepted" in done.err


def test_one_entry_is_written_for_it(cli: Cli) -> None:
    words = ("breaking", "--against", "old", "--accept", "limit-tightened", "--reason", REASON)
    try:
        done = cli(*words)
        text = (cli.root / "breaking.toml").read_text()
    finally:
        (cli.root / "breaking.toml").unlink()
    assert done.code == 0
    assert text.count("[[accept]]") == 1
    assert 'pointer = "shop.yaml#/$defs/Quantity/maximum"' in text
    assert "tool = " not in text


def test_a_shared_class_that_moves_concerns_those_who_use_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "toolgen.toml").write_text('[breaking]\nversions = "semver"\n')
    item, colour = (
        f"  {each}: {{type: object, properties: {{n: {{type: integer}}}}}}\n" for each in ("Item", "Colour")
    )
    for side, (shop, paint) in {"old": (item + colour, ""), "specs": (item, colour)}.items():
        (tmp_path / side).mkdir()
        (tmp_path / side / "shop.yaml").write_text(f"$defs:\n{shop}")
        if paint:
            (tmp_path / side / "paint.yaml").write_text(f"$defs:\n{paint}")
        for name, ref in {
            "order": "shop.yaml#/$defs/Item",
            "paint_it": f"{'paint' if paint else 'shop'}.yaml#/$defs/Colour",
        }.items():
            text = (
                SPEC.partition("output_schema")[0]
                .replace("NAME", name)
                .replace("shop.yaml#/$defs/Quantity", ref)
            )
            (tmp_path / side / f"{name}.yaml").write_text(f"{text}version: 1.0.0\n")
    done = Cli(tmp_path, capsys)("breaking", "--against", "old", "--format", "json")
    found = {each["rule"]: each for each in json.loads(done.out)["findings"]}
    assert set(found) == {"class-renamed", "version-not-bumped"}
    assert found["class-renamed"]["tools"] == found["version-not-bumped"]["tools"] == ["paint_it"]
    assert found["class-renamed"]["place"]["file"] == "specs/paint.yaml"
    assert found["class-renamed"]["old_place"]["line"] == 3
