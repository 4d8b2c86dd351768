"""Actions read declared files only, and write nothing if there is an error."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.hermetic.helpers import PLAIN, SHARED, TOOL, TOOLGEN, Actions, tree, words_of

AUDIT = """
import json, sys
seen = []
sys.addaudithook(lambda event, args: seen.append((event, str(args[0]) if args else "")))
from toolgen.cli import main
code = main(sys.argv[1:])
print(json.dumps([code, sys.prefix, sys.base_prefix, __import__("toolgen").__file__, seen]))
"""
UNION = """\
    place:
      oneOf:
      - {type: object, required: [city], properties: {city: {type: string}}}
      - {type: object, required: [island], properties: {island: {type: string}}}
"""
"""A property whose classes the model engine prints and the formatter lays out."""


def test_nothing_undeclared_is_opened_listed_or_started(actions: Actions) -> None:
    spec = actions.tool("get_order", TOOL + UNION)
    actions.tool("another")
    actions.write("toolgen.toml", "")
    done = subprocess.run(
        [sys.executable, "-P", "-c", AUDIT, *words_of(spec), "--depfile", "out/d"],
        cwd=actions.root,
        env={"TMPDIR": str(actions.root)},
        capture_output=True,
        text=True,
        check=True,
    )
    code, *_, seen = json.loads(done.stdout)
    assert code == 0
    here = {name.removeprefix(f"{actions.root}/") for event, name in seen if event == "open"}
    mine = {name for name in here if (actions.root / name).is_file() and not name.startswith("/")}
    made = {f"out/generated/{folder}/get_order.py" for folder in ("definitions", "models", "tools")}
    assert mine - made == {
        "specs/get_order.yaml",
        "specs/schemas/orders.yaml",
    }
    listed = [name for event, name in seen if event in ("os.listdir", "os.scandir")]
    assert not [name for name in listed if name.startswith((str(actions.root / "specs"), "specs", "."))]
    assert not [event for event, _ in seen if event.startswith("socket.")]
    started = {Path(name) for event, name in seen if event == "subprocess.Popen"}
    assert [(path.name, path.is_absolute()) for path in started] == [("ruff", True)]


def test_undeclared_inputs_are_refused_where_they_are_needed(actions: Actions) -> None:
    spec = actions.tool("get_order", TOOL)
    (actions.root / "specs/schemas/orders.yaml").unlink()
    done = actions.spec(spec, "--depfile", "out/d")
    assert done.code == 2
    assert "specs/get_order.yaml:8:22: error[dangling-ref]" in done.err
    assert "order_id: {$ref:" in done.err  # the line itself
    assert not (actions.root / "out").exists()


@pytest.mark.parametrize(
    "ref", ["../secret.yaml#/$defs/A", "/etc/passwd", "https://example.com/a.yaml#/$defs/A"]
)
def test_references_never_leave_the_include_root(actions: Actions, ref: str) -> None:
    actions.write("secret.yaml", "$defs: {A: {type: string}}\n")
    spec = actions.tool("get_order", TOOL.replace("schemas/orders.yaml#/$defs/OrderId", ref))
    done = actions.spec(spec)
    assert (done.code, done.out) == (2, "")
    assert "-ref]" in done.err
    assert not (actions.root / "out").exists()


def test_a_reference_to_a_tool_is_refused(actions: Actions) -> None:
    actions.tool("another")
    spec = actions.tool("get_order", TOOL.replace("schemas/orders.yaml#/$defs/OrderId", "another.yaml#/x"))
    assert "error[dangling-ref]" in actions.spec(spec).err


def test_references_are_followed_from_shared_file_to_shared_file(actions: Actions) -> None:
    actions.write("specs/schemas/orders.yaml", '$defs: {OrderId: {$ref: "deep/ids.yaml#/$defs/Id"}}\n')
    actions.write("specs/schemas/deep/ids.yaml", "$defs: {Id: {type: string}}\n")
    spec = actions.tool("get_order", TOOL)
    assert actions.spec(spec, "--depfile", "out/d").code == 0
    assert (actions.root / "out/d").read_text() == (
        "out/generated/definitions/get_order.py out/generated/models/get_order.py "
        "out/generated/tools/get_order.py out/get_order.json: \\\n"
        "  specs/get_order.yaml \\\n  specs/schemas/deep/ids.yaml \\\n  specs/schemas/orders.yaml\n"
    )


def test_make_reads_the_dependency_file(actions: Actions) -> None:
    name = "my orders $1 #2.yaml"
    actions.write(f"specs/{name}", SHARED)
    ref = name.replace(" ", "%20").replace("#", "%23")
    spec = actions.tool("get_order", TOOL.replace("orders.yaml", f"../{ref}"))
    assert actions.spec(spec, "--depfile", "out/d").code == 0
    make = [shutil.which("make") or "make", "-f", "out/d"]
    fresh = subprocess.run(make, cwd=actions.root, capture_output=True, text=True, check=False)
    assert fresh.returncode == 0, fresh.stderr
    (actions.root / "specs" / name).unlink()
    stale = subprocess.run(make, cwd=actions.root, capture_output=True, text=True, check=False)
    assert f"'specs/{name}'" in stale.stderr


def test_the_index_depends_on_its_pieces(actions: Actions) -> None:
    actions.spec(actions.tool("a"))
    assert actions.index("--depfile", "out/d").code == 0
    text = (actions.root / "out/d").read_text()
    assert text.endswith("out/generated/tools/__init__.py: \\\n  out/a.json\n")


@pytest.mark.slow
def test_templates_of_the_project_are_inputs(actions: Actions) -> None:
    actions.write("templates/notes/target.yaml", "")
    actions.write("templates/notes/notes/{tool}.txt.jinja", "{{ tool.wire_name }}\n")
    actions.write("templates/notes/all.txt.jinja", "{{ model.tools | length }}\n")
    spec, own = actions.tool("a"), ["--templates", "templates"]
    assert actions.spec(spec, "--target", "notes", *own, "--depfile", "out/d").code == 0
    assert actions.index(*own).code == 0
    assert actions.spec(spec, "--target", "notes", *own, "--depfile", "out/d").code == 0  # over what is there
    assert actions.index(*own).code == 0
    made = tree(actions.root / "out/generated")
    assert (made["notes/a.txt"], made["all.txt"]) == (b"a\n", b"1\n")
    assert "mcp_server.py" not in made
    assert "templates/notes/target.yaml" in (actions.root / "out/d").read_text()
    assert actions("outputs", "--spec", spec, *own).out.split() == [
        "definitions/a.py",
        "models/a.py",
        "notes/a.txt",
        "tools/a.py",
    ]
    assert actions.index().err.startswith("toolgen: error[usage] there is no target 'notes'")


OBSTACLES = {
    "a fault in the spec": lambda a: a.write("specs/a.yaml", "name: a\ndescripton: typo\n"),
    "a folder where a model goes": lambda a: (a.root / "out/generated/models/a.py").mkdir(parents=True),
    "a folder where the piece goes": lambda a: (a.root / "out/a.json").mkdir(parents=True),
    "a file where a folder goes": lambda a: a.write("out/generated/tools", ""),
    "a file that is not generated": lambda a: a.write("out/generated/tools/a.py", "print('mine')\n"),
}


@pytest.mark.parametrize("obstacle", OBSTACLES)
def test_a_failure_writes_nothing(actions: Actions, obstacle: str) -> None:
    spec = actions.tool("a")
    OBSTACLES[obstacle](actions)
    before = tree(actions.root), sorted(actions.root.rglob("*"))
    done = actions.spec(spec, "--depfile", "out/made/for/d")
    assert (done.code, done.out) == (2, "")
    assert (tree(actions.root), sorted(actions.root.rglob("*"))) == before


@pytest.mark.parametrize("seconds", [0.1, 0.3, 0.45, 0.6])
def test_a_killed_action_leaves_complete_files_or_none(actions: Actions, seconds: float) -> None:
    spec = actions.tool("a", PLAIN)
    process = subprocess.Popen([*TOOLGEN, *words_of(spec)], cwd=actions.root, env={})
    try:
        process.wait(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    found = {path: text for path, text in tree(actions.root / "out").items() if not path.endswith(".new")}
    assert actions.spec(spec).code == 0
    whole = tree(actions.root / "out")
    assert found == {path: whole[path] for path in found}


def test_nothing_is_written_over_an_input(actions: Actions) -> None:
    spec = actions.tool("a")
    before = tree(actions.root)
    for flag in ("--piece", "--depfile"):
        done = actions.spec(spec, flag, "specs/../specs/a.yaml")
        assert done.code == 2
        assert "the command line names it for another purpose too" in done.err
    assert tree(actions.root) == before


def test_a_cache_is_used_where_one_is_named(actions: Actions) -> None:
    list_root = "output_schema: {type: array, items: {type: string}}"  # printed by the model engine
    spec = actions.tool("a", f"{PLAIN}{list_root}\n")
    assert actions.spec(spec, "--cache", "kept").code == 0
    assert tree(actions.root / "kept")
    first = tree(actions.root / "out")
    assert actions.spec(spec, "--cache", "kept").code == 0
    assert tree(actions.root / "out") == first
