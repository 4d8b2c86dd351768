"""Actions generate the same bytes as `generate`, wherever they run."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from toolgen.cli import main

from tests.hermetic.helpers import ORDERS, ROOT, TOOL, TOOLGEN, Actions, modes, tree, words_of

GALLERY = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "specs").rglob("*.yaml"))


def test_actions_for_every_spec_of_the_gallery_give_the_output_of_generate(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copytree(ROOT / "specs", "specs")
    for spec in GALLERY:
        assert main(words_of(spec)) == 0
    pieces = sorted(map(str, Path("out").glob("*.json")), reverse=True)
    assert len(pieces) == len(GALLERY)
    Path("pieces").write_text("\n".join(pieces))
    assert main(["generate", "--index", "@pieces", "--out", "out/generated"]) == 0
    shutil.copyfile(ROOT / "toolgen.toml", "toolgen.toml")
    assert main(["generate"]) == 0
    assert tree(Path("out/generated")) == tree(Path("generated"))


def test_files_are_those_that_outputs_names(actions: Actions) -> None:
    spec = actions.tool("get_order", TOOL)
    named = actions("outputs", "--spec", spec).out.split()
    assert actions.spec(spec) == (0, "", "")
    made = actions.root / "out" / "generated"
    assert list(tree(made)) == named
    shared = actions("outputs", "--spec", ORDERS, "--include-root", "specs").out.split()
    assert shared == ["models/shared/orders.py", "schemas/orders.py"]
    assert actions.spec(ORDERS) == (0, "", "")
    assert list(tree(made)) == sorted([*named, *shared])
    index = actions("outputs", "--index").out.split()
    assert actions.index() == (0, "", "")
    assert list(tree(made)) == sorted([*named, *shared, *index])


def test_outputs_needs_the_specs_folder_to_name_the_module_of_shared_schemas(actions: Actions) -> None:
    done = actions("outputs", "--spec", ORDERS)
    assert (done.code, done.out) == (2, "")
    assert "is named after its path below the specs folder" in done.err
    assert "name that folder with --include-root" in done.err


@pytest.mark.slow
def test_the_environment_does_not_change_the_output(
    actions: Actions, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    spec = actions.tool("get_order", TOOL)
    for done in (actions.spec(spec), actions.spec(ORDERS), actions.index()):
        assert done == (0, "", "")

    other = Actions(tmp_path / "hostile" / "deep" / "work", capsys)
    _hostile(tmp_path / "hostile")
    _links(actions.root / "specs", other.root / "specs")
    other.write("yaml.py", "raise SystemExit(9)\n")
    home = tmp_path / "hostile" / "home"
    env = {
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home),
        "PATH": "",
        "PYTHONHASHSEED": "2",
        "TZ": "Pacific/Kiritimati",
        "LC_ALL": "tr_TR.ISO8859-9",
        "TOOLGEN_CACHE_DIR": str(home / "cache"),
        "RUFF_CONFIG": str(home / "ruff.toml"),
        "COLUMNS": "20",
    }
    index = ["generate", "--index", "out/get_order.json", "out/orders.json", "--out", "out/generated"]
    for words in (words_of(spec), words_of(ORDERS), index):
        assert other.process(*words, env=env, umask=0o077) == (0, "", "")

    assert tree(other.root / "out") == tree(actions.root / "out")
    assert modes(actions.root / "out") == modes(other.root / "out") == {0o644}
    assert not (home / "cache").exists()


def test_an_action_can_run_anywhere(actions: Actions, tmp_path: Path) -> None:
    spec = actions.tool("get_order", TOOL)
    assert actions.spec(spec).code == 0
    words = ["generate", "--spec", actions.root / spec, "--include-root", actions.root / "specs"]
    words += [
        "--out",
        tmp_path / "far",
        "--piece",
        tmp_path / "far.json",
        "--implementations",
        "examples.tools",
        "--server-version",
        "1.0.0",
    ]
    subprocess.run([*TOOLGEN, *map(str, words)], cwd="/", env={}, check=True)
    assert tree(tmp_path / "far") == tree(actions.root / "out" / "generated")
    assert (tmp_path / "far.json").read_bytes() == (actions.root / "out" / "get_order.json").read_bytes()


@pytest.mark.parametrize("number", [4, pytest.param(16, marks=pytest.mark.slow)])
def test_actions_can_run_at_the_same_time(tmp_path: Path, number: int) -> None:
    shutil.copytree(ROOT / "specs", tmp_path / "specs")
    specs = [spec for spec in GALLERY if "schemas" not in spec][:number]
    running = [subprocess.Popen([*TOOLGEN, *words_of(spec)], cwd=tmp_path, env={}) for spec in specs]
    assert [process.wait() for process in running] == [0] * number
    made, wanted = tree(tmp_path / "out" / "generated"), tree(ROOT / "generated")
    assert len(made) == 3 * number
    assert made == {path: wanted[path] for path in made}


def _hostile(top: Path) -> None:
    """Write settings that would change the output if they were read."""
    (top / ".git").mkdir()
    (top / "home").mkdir()
    (top / "toolgen.toml").write_text('targets = ["nonsense"]\n')
    (top / "pyproject.toml").write_text(
        "[tool.ruff]\nline-length = 20\n[tool.isort]\nprofile = 'x'\n[tool.toolgen]\n"
    )
    for folder in (top, top / "home"):
        (folder / "ruff.toml").write_text("line-length = 20\nindent-width = 7\n")


def _links(real: Path, farm: Path) -> None:
    """Create a sandbox as Bazel does: folders, and links to read-only files in other places."""
    shutil.rmtree(farm)
    for path in real.rglob("*.yaml"):
        link = farm / path.relative_to(real)
        link.parent.mkdir(parents=True, exist_ok=True)
        path.chmod(0o444)
        link.symlink_to(path)
