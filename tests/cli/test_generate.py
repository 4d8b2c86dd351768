"""generate and check: files written, messages, files left alone."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from .conftest import SPEC, Cli


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def test_generate_then_check(project: Cli) -> None:
    first = project("generate")
    assert first.code == 0
    tree = project.tree()
    files = len(tree) - 1  # and the manifest
    assert first.out == f"1 tool, {files} files written, 0 unchanged\n"
    assert {"catalog.py", "models/greet.py", "tools/greet.py", "mcp_server.py", "openai_tools.py"} <= set(
        tree
    )
    clean = project("check")
    assert (clean.code, clean.out) == (0, "")
    again = project("generate")
    assert again.out == f"1 tool, 0 files written, {files} unchanged\n"
    assert project.tree() == tree


def test_a_spec_was_edited(project: Cli) -> None:
    project("generate")
    edit(project.root / "specs/greet.yaml", "Whom to greet.", "Who it is.")
    done = project("check")
    assert (done.code, done.err) == (1, "")
    lines = done.out.splitlines()
    assert lines[0].startswith("SPEC specs/greet.yaml was edited: generated/")
    assert "CHANGED generated/models/greet.py (from specs/greet.yaml)" in lines
    assert "CHANGED generated/definitions/greet.py (from specs/greet.yaml)" in lines
    assert "CHANGED generated/catalog.py" not in lines
    assert any(line.startswith("-") and "Whom to greet." in line for line in lines)
    assert any(line.startswith("+") and "Who it is." in line for line in lines)
    assert lines[-1] == f"to fix it: toolgen -C {project.root} generate"
    short = project("check", "--no-diff").out
    assert "@@" not in short
    assert project("generate").code == 0
    assert project("check").code == 0


def test_a_shared_schema_was_edited(project: Cli) -> None:
    shared = project.spec("shared/names", "$defs:\n  Name: {type: string, minLength: 1}\n")
    path = project.spec("wave")
    line = "who: {type: string, minLength: 1, description: Whom to greet.}"
    edit(path, line, 'who: {$ref: "shared/names.yaml#/$defs/Name"}')
    assert project("generate").code == 0
    edit(shared, "minLength: 1", "minLength: 2")
    first = project("check", "--no-diff").out.splitlines()[0]
    assert first.startswith("SPEC specs/shared/names.yaml was edited: ")
    assert "generated/models/shared/names.py" in first
    assert "greet" not in first


@pytest.mark.parametrize("file", ["models/greet.py", "toolgen.manifest.json"])
def test_one_byte_was_edited(project: Cli, file: str) -> None:
    project("generate")
    before = project.tree()
    path = project.root / "generated" / file
    text = path.read_text()
    at = len(text) // 2
    path.write_text(text[:at] + ("x" if text[at] != "x" else "y") + text[at + 1 :])
    done = project("check")
    assert done.code == 1
    assert f"EDITED generated/{file}" in done.out
    regenerated = project("generate")
    assert regenerated.code == 0
    if file != "toolgen.manifest.json":
        assert f"EDITED generated/{file}: your changes were replaced" in regenerated.err
        assert "in work" in regenerated.err
    assert project.tree() == before
    assert project("check").code == 0


def test_nothing_was_generated_yet(project: Cli) -> None:
    done = project("check", "--no-diff")
    assert done.code == 1
    assert done.out.splitlines()[0] == "1 spec valid; not generated yet"
    assert "generated/" not in done.out
    assert not (project.root / "generated").exists()


def test_a_spec_was_removed(project: Cli) -> None:
    project.spec("wave")
    project("generate")
    (project.root / "specs/wave.yaml").unlink()
    done = project("check", "--no-diff")
    removed = "generated/definitions/wave.py, generated/models/wave.py, generated/tools/wave.py"
    assert f"SPEC specs/wave.yaml was removed: {removed}" in done.out
    assert "EXTRA generated/tools/wave.py (from specs/wave.yaml)" in done.out
    assert "3 removed" in project("generate").out
    assert not list((project.root / "generated").rglob("wave*"))
    assert project("check").code == 0


def test_an_edited_file_that_is_no_longer_generated_stays(project: Cli) -> None:
    project.spec("wave")
    project("generate")
    mine = project.root / "generated/tools/wave.py"
    mine.write_text("# mine\n")
    (project.root / "specs/wave.yaml").unlink()
    done = project("generate")
    assert "KEPT generated/tools/wave.py" in done.err
    assert mine.read_text() == "# mine\n"


def test_a_foreign_file_is_never_touched(project: Cli) -> None:
    mine = project.root / "generated/catalog.py"
    mine.parent.mkdir()
    mine.write_text("# mine\n")
    (project.root / "generated/notes.md").write_text("mine")
    for verb in ("generate", "check"):
        done = project(verb)
        assert done.code == 2
        assert "error[foreign-file]" in done.err
        assert "generated/catalog.py" in done.err
    assert project.tree() == {"catalog.py": "# mine\n", "notes.md": "mine"}
    mine.unlink()
    assert project("generate").code == 0
    assert project.tree()["notes.md"] == "mine"


def test_another_toolchain_that_generates_something_else_is_named(project: Cli) -> None:
    from toolgen.compile.output_changes import digest

    project("generate")
    models = project.root / "generated/models/greet.py"
    models.write_text(models.read_text() + "# as the older one had it\n")
    pretend(project, "jinja2", "2.9.0", **{"models/greet.py": digest(models.read_text())})
    done = project("check")
    assert done.code == 1
    assert "TOOLCHAIN jinja2 2.9.0 → " in done.out
    assert "CHANGED generated/models/greet.py" in done.out
    assert "SPEC " not in done.out


def pretend(project: Cli, distribution: str, version: str, **hashes: str) -> None:
    """Write the manifest as another version would have written it."""
    from dataclasses import replace

    from toolgen.project.output.manifest import manifest_text, parse_manifest

    path = project.root / "generated/toolgen.manifest.json"
    manifest = parse_manifest(path.read_text())
    assert manifest
    outputs = {p: replace(o, sha256=hashes.get(p, o.sha256)) for p, o in manifest.outputs.items()}
    toolchain = {**manifest.toolchain, distribution: version}
    path.write_text(manifest_text(replace(manifest, toolchain=toolchain, outputs=outputs)))


def test_json(project: Cli) -> None:
    written = json.loads(project("generate", "--format", "json").out)
    assert written["tools"] == 1
    assert "generated/catalog.py" in written["written"]
    assert (written["removed"], written["replaced"], written["kept"]) == ([], [], [])
    clean = json.loads(project("check", "--format", "json").out)
    assert (clean["clean"], clean["changes"], clean["fix"]) == (True, [], None)
    edit(project.root / "specs/greet.yaml", "Whom to greet.", "Who it is.")
    done = project("check", "--format", "json")
    stale = json.loads(done.out)
    assert (done.code, done.err, stale["clean"]) == (1, "", False)
    change = next(c for c in stale["changes"] if c["path"] == "generated/models/greet.py")
    assert (change["kind"], change["spec"]) == ("CHANGED", "specs/greet.yaml")
    assert "+" in change["diff"]
    (moved,) = stale["specs"]
    assert (moved["path"], moved["change"]) == ("specs/greet.yaml", "edited")
    assert "generated/models/greet.py" in moved["affects"]


def test_output_schemas_are_not_published_over_mcp_if_the_configuration_says_so(project: Cli) -> None:
    project.spec("shown", SPEC.replace("NAME", "shown") + "targets: {mcp: {output_schema: true}}\n")
    (project.root / "toolgen.toml").write_text("[mcp]\noutput_schema = false\n")
    listed = {tool["name"]: tool for tool in json.loads(project("export", "mcp").out)["tools"]}
    assert "outputSchema" not in listed["greet"]
    assert "outputSchema" in listed["shown"]
    project("generate")
    assert '"output_schema":' in (project.root / "generated/definitions/greet.py").read_text(), (
        "for validation"
    )


def test_all_or_nothing(project: Cli) -> None:
    project("generate")
    before = project.tree()
    project.spec("more")
    project.spec(
        "broken", SPEC.replace("NAME", "broken").replace("type: string, minLength", "type: strin, minLength")
    )
    assert project("generate").code == 2
    assert project.tree() == before


def test_links_below_specs(project: Cli, tmp_path: Path) -> None:
    (tmp_path / "outside.yaml").write_text(SPEC.replace("NAME", "outside"))
    (tmp_path / "folder").mkdir()
    (project.root / "specs/inside").symlink_to(".")
    (project.root / "specs/.hidden.yaml").symlink_to("nowhere")
    assert project("generate").code == 0
    (project.root / "specs/leaves.yaml").symlink_to(tmp_path / "outside.yaml")
    (project.root / "specs/folder").symlink_to(tmp_path / "folder")
    (project.root / "specs/dangling.yaml").symlink_to("nowhere.yaml")
    done = project("check")
    assert done.code == 2
    for place in (
        "leaves.yaml:1:1: error[spec-outside]",
        "folder:1:1: error[spec-outside]",
        "dangling.yaml:1:1: error[unreadable-spec]",
    ):
        assert f"specs/{place}" in done.err


def test_a_cache_is_never_trusted_more_than_its_hashes(project: Cli, tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    project.process("generate", TOOLGEN_CACHE_DIR=str(folder))
    before = project.tree()
    entries = [path for path in folder.rglob("*") if path.is_file()]
    assert entries
    for number, path in enumerate(entries):
        data = path.read_bytes()
        path.write_bytes(data[: len(data) // 2] if number % 2 else data.replace(b"class", b"klass"))
    shutil.rmtree(project.root / "generated")
    project.process("generate", TOOLGEN_CACHE_DIR=str(folder))
    assert project.tree() == before
