"""The index action: checks of all specs together, and validation of pieces."""

from __future__ import annotations

import json

import pytest

from tests.hermetic.helpers import ORDERS, PLAIN, SHARED, TOOL, Actions, tree

OPENAI = "targets: {openai: {name: same}}\n"
COLLISIONS = {
    "one name": (PLAIN.replace("NAME", "same"), PLAIN.replace("NAME", "same"), "duplicate-tool"),
    "an alias": (PLAIN + "aliases: [two]\n", PLAIN, "duplicate-tool"),
    "two aliases": (PLAIN + "aliases: [old]\n", PLAIN + "aliases: [old]\n", "duplicate-tool"),
    "a module": (PLAIN.replace("NAME", "get-it"), PLAIN.replace("NAME", "get_it"), "name-collision"),
    "a published name": (PLAIN + OPENAI, PLAIN + OPENAI, "name-collision"),
}


@pytest.mark.parametrize("what", COLLISIONS)
def test_tools_with_the_same_name_are_refused_with_both_locations(actions: Actions, what: str) -> None:
    one, two, code = COLLISIONS[what]
    assert actions.spec(actions.tool("one", one)).code == 0
    assert actions.spec(actions.tool("two", two)).code == 0
    before = tree(actions.root)
    done = actions.index()
    assert (done.code, done.out) == (2, "")
    assert f"error[{code}]" in done.err
    assert "specs/one.yaml:" in done.err
    assert "specs/two.yaml:" in done.err
    assert "^" in done.err  # under the line, which comes from the piece: the index is not given the specs
    assert tree(actions.root) == before


def test_disabled_tools_are_checked_but_not_generated(actions: Actions) -> None:
    spec = actions.tool("a", PLAIN + "enabled: false\n")
    assert actions.spec(spec) == (0, "", "")
    assert list(tree(actions.root / "out")) == ["a.json"]
    assert actions("outputs", "--spec", spec) == (0, "", "")
    assert actions.index().code == 0
    manifest = json.loads((actions.root / "out/generated/toolgen.manifest.json").read_text())
    assert list(manifest["inputs"]) == ["specs/a.yaml"]


def test_shared_schemas_have_an_action_of_their_own(actions: Actions) -> None:
    assert actions.spec("specs/schemas/orders.yaml") == (0, "", "")
    assert list(tree(actions.root / "out")) == [
        "generated/models/shared/orders.py",
        "generated/schemas/orders.py",
        "orders.json",
    ]
    actions.write("specs/schemas/orders.yaml", '$defs: {A: {$ref: "#/$defs/B"}}\n')
    assert (
        "specs/schemas/orders.yaml:1:19: error[dangling-ref]" in actions.spec("specs/schemas/orders.yaml").err
    )


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: "",
        lambda text: "{}",
        lambda text: "[]",
        lambda text: "[" * 100_000,
        lambda text: text[:-10],
        lambda text: text.replace("Say something", "Say anything"),
        lambda text: "\udcff",
    ],
)
def test_other_files_are_not_accepted_as_pieces(actions: Actions, damage: object) -> None:
    assert actions.spec(actions.tool("a")).code == 0
    piece = actions.root / "out/a.json"
    piece.write_bytes(damage(piece.read_text()).encode("utf-8", "surrogateescape"))  # type: ignore[operator]
    done = actions.index()
    assert (done.code, done.err.splitlines()[0]) == (
        2,
        "toolgen: error[bad-piece] out/a.json is not a piece, or was edited or cut short",
    )
    assert not (actions.root / "out/generated/catalog.py").exists()


def test_a_piece_of_another_version_is_refused(actions: Actions) -> None:
    assert actions.spec(actions.tool("a")).code == 0
    piece = actions.root / "out/a.json"
    piece.write_text(piece.read_text().replace('"format":"2', '"format":"1'))
    done = actions.index()
    assert done.code == 2
    assert "error[bad-piece] out/a.json has format 1." in done.err
    assert "make it again, with this version of toolgen" in done.err


@pytest.mark.parametrize(
    "options",
    [
        ["--package", "other"],
        ["--no-coerce"],
        ["--no-mcp-output-schema"],
        ["--mcp-references", "inline"],
        ["--target", "mcp"],
        ["--shown-as", "tools/specs"],
    ],
)
def test_pieces_made_differently_are_refused(actions: Actions, options: list[str]) -> None:
    assert actions.spec(actions.tool("a")).code == 0
    assert actions.spec(actions.tool("b"), *options).code == 0
    done = actions.index()
    assert done.code == 2
    assert "error[differing-pieces] out/b.json and out/a.json were made with different options" in done.err


def test_a_shared_file_that_changed_between_actions_is_refused(actions: Actions) -> None:
    assert actions.spec(actions.tool("a", TOOL)).code == 0
    actions.write("specs/schemas/orders.yaml", "$defs: {OrderId: {type: string}}\n")
    assert actions.spec(actions.tool("b", TOOL)).code == 0
    assert "specs/schemas/orders.yaml changed between the making of two pieces" in actions.index().err


def test_shared_schemas_without_a_piece_are_missed(actions: Actions) -> None:
    assert actions.spec(actions.tool("a", TOOL)).code == 0
    done = actions.index()
    assert (done.code, done.out) == (2, "")
    assert "error[missing-piece] out/a.json uses schemas/orders.yaml, whose piece is missing" in done.err
    assert actions.spec(ORDERS).code == 0
    assert actions.index() == (0, "", "")


def test_shared_files_with_the_same_module_are_refused_with_both_locations(actions: Actions) -> None:
    actions.write("specs/types/orders.yaml", SHARED)
    assert actions.spec(ORDERS).code == 0
    assert actions.spec("specs/types/orders.yaml", "--piece", "out/other.json").code == 0
    done = actions.index()
    assert (done.code, done.out) == (2, "")
    assert "specs/types/orders.yaml:1:1: error[name-collision]" in done.err
    assert "types/orders.yaml and schemas/orders.yaml would both be models/shared/orders.py" in done.err


def test_a_list_of_pieces_is_an_input_too(actions: Actions) -> None:
    assert actions.spec(actions.tool("a")).code == 0
    actions.write("list", "out/a.json\n\n")
    assert actions("generate", "--index", "@list", "--out", "out/generated", "--depfile", "out/d").code == 0
    assert (actions.root / "out/d").read_text().endswith(": \\\n  list \\\n  out/a.json\n")
    actions.write("list", "\n")
    done = actions("generate", "--index", "@list", "--out", "out/generated")
    assert (done.code, done.err.splitlines()[0]) == (2, "toolgen: error[usage] there is no piece in @list")


WRONG = {
    "generate --spec specs/a.yaml": "--spec needs --include-root and --out and --piece",
    "generate --index p": "--index needs --out",
    "generate --out x": "--out goes with --spec or --index; in a project, set it in the configuration",
    "generate --package x": "--package goes with --spec or --index; in a project, set it in the configuration",
    "generate --index p --out x --package y": "--package goes with --spec; each piece records its own options",
    "generate --index p --spec a": "argument --spec: not allowed with argument --index",
    "-C . generate --index p --out x": "cannot read p: no such file or directory",
    "-C specs generate --index p --out x": "-C is for projects; with --spec or --index, paths are relative to the working directory",
    "ACTION --package a.class": "--package must be a name that Python can import; 'class' cannot be",
    "ACTION --package a.b --implementations a.b.c": "--implementations is inside the generated package",
    "ACTION --target gopher": "there is no target 'gopher'",
    "ACTION --target docs": "build actions do not write the documents of 'docs', which describe a whole project",
    "ACTION --target registry": "build actions do not write the documents of 'registry'",
    "ACTION --include-root specs/schemas": "specs/a.yaml is not below specs/schemas",
    "ACTION --spec specs/none.yaml": "cannot read specs/none.yaml: no such file or directory",
    "ACTION --spec specs/schemas": "specs/schemas is not a file",
    "ACTION --watch": "--watch is for projects; a build system detects changes itself",
    "outputs --target mcp": "--target goes with --spec or --index",
}


@pytest.mark.parametrize("line", WRONG)
def test_contradictory_options_are_refused(actions: Actions, line: str) -> None:
    actions.tool("a")
    action = "generate --spec specs/a.yaml --include-root specs --out out --piece p.json"
    done = actions(*line.replace("ACTION", action).split())
    assert done.code == 2
    assert WRONG[line] in done.err
    assert not (actions.root / "out").exists()


def test_outputs_of_a_project(actions: Actions, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOOLGEN_CACHE_DIR", str(actions.root / "cache"))
    actions.write("toolgen.toml", 'implementations = "work"\n')
    actions.tool("a")
    actions.tool("b", TOOL.replace("orders.yaml", "missing.yaml"))  # `generate` refuses it
    named = actions("outputs").out.split()
    assert {"generated/models/a.py", "generated/tools/b.py", "generated/toolgen.manifest.json"} <= set(named)
    assert named == sorted(named) == json.loads(actions("outputs", "--format", "json").out)["outputs"]
    assert not (actions.root / "generated").exists()
    actions.tool("b")
    assert actions("generate").code == 0
    assert sorted(f"generated/{path}" for path in tree(actions.root / "generated")) == named


def test_outputs_shows_the_line_of_a_fault(actions: Actions) -> None:
    done = actions("outputs", "--spec", actions.tool("a", "name: a\ndescripton: typo\n"))
    assert done.code == 2
    assert "specs/a.yaml:2:1: error[unknown-field]" in done.err
    assert "^^^^^^^^^^" in done.err
