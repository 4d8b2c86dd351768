"""write_atomically and stage_file: complete files or none, with the permissions that were asked for."""

from __future__ import annotations

import ast
import os
from pathlib import Path

import pytest
import toolgen.project
from toolgen.project.files.atomic_write import stage_file, write_atomically

PACKAGE = Path(toolgen.project.__path__[0])


def test_a_file_is_replaced(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("old")
    write_atomically(str(file), b"new")
    assert file.read_bytes() == b"new"
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize("mode", [0o600, 0o644])
def test_the_mode_does_not_depend_on_the_umask(tmp_path: Path, mode: int) -> None:
    before = os.umask(0o077)
    try:
        write_atomically(str(tmp_path / "file"), b"", mode=mode)
    finally:
        os.umask(before)
    assert (tmp_path / "file").stat().st_mode & 0o777 == mode


@pytest.mark.parametrize("step", ["chmod", "replace"])
@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_a_failure_keeps_the_old_file_and_leaves_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str, error: BaseException
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error

    file = tmp_path / "file"
    file.write_text("old")
    monkeypatch.setattr(os, step, fail)
    with pytest.raises(type(error)):
        write_atomically(str(file), b"new")
    assert file.read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_a_staged_file_is_not_visible_before_it_is_published(tmp_path: Path) -> None:
    staged = stage_file(str(tmp_path / "file"), b"text")
    assert not (tmp_path / "file").exists()
    staged.publish()
    assert (tmp_path / "file").read_bytes() == b"text"


def test_a_discarded_file_leaves_nothing(tmp_path: Path) -> None:
    stage_file(str(tmp_path / "file"), b"text").discard()
    assert not list(tmp_path.iterdir())


def _writes(node: ast.AST) -> bool:
    """True if `node` calls something that writes a file's content."""
    if not isinstance(node, ast.Call):
        return False
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    modes = [value.value for value in node.args[1:2] if isinstance(value, ast.Constant)]
    writes = any(isinstance(mode, str) and not mode.startswith("r") for mode in modes)
    return name in ("write_text", "write_bytes", "mkstemp", "NamedTemporaryFile") or (
        name == "open" and writes
    )


def test_only_one_function_of_the_package_writes_files() -> None:
    found = {
        f"{path.name}:{function.name}"
        for path in PACKAGE.rglob("*.py")
        for function in ast.walk(ast.parse(path.read_text()))
        if isinstance(function, ast.FunctionDef) and any(map(_writes, ast.walk(function)))
    }
    assert found == {"atomic_write.py:stage_file"}
