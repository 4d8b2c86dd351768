"""Rules for the code base that can be checked automatically."""

from __future__ import annotations

import ast
import subprocess
import sys
import tomllib
from functools import cache
from pathlib import Path

import pytest

from tools.lines import BESIDE, rows_of, words
from tools.lines import PACKAGE as PACKAGE_FOLDER

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "generator" / "toolgen"
MODULES = sorted(PACKAGE.rglob("*.py"))


def name(path: Path) -> str:
    return path.relative_to(PACKAGE).as_posix()


@cache
def tree_of(path: Path) -> ast.Module:
    """Parse a module once for all tests."""
    return ast.parse(path.read_text())


def test_every_module_has_a_docstring() -> None:
    assert [name(path) for path in MODULES if not ast.get_docstring(tree_of(path))] == []


OS_FUNCTIONS = frozenset(
    [
        "fdopen",
        "link",
        "listdir",
        "makedirs",
        "mkdir",
        "open",
        "remove",
        "removedirs",
        "rename",
        "renames",
        "replace",
        "rmdir",
        "scandir",
        "symlink",
        "truncate",
        "unlink",
        "walk",
    ]
)
PATH_METHODS = frozenset(
    [
        "glob",
        "hardlink_to",
        "iterdir",
        "mkdir",
        "read_bytes",
        "read_text",
        "rglob",
        "rmdir",
        "symlink_to",
        "touch",
        "unlink",
        "write_bytes",
        "write_text",
    ]
)
ANOTHER_WAY = {
    "cli/__init__.py": "the null device, in place of closed streams",
    "cli/output.py": "the null device, in place of a closed pipe",
    "project/building/watch.py": "times of files, and no contents",
    "base/child_process.py": "the null device; removes the folder of its own temporary files",
    "testing/processes/child_run.py": "two files in the parent's temporary folder, which stay open",
    "sources/mcp_client/client.py": "the null device, for the output of a server",
    "sources/loading/imported_module.py": "the null device, for tracebacks",
    "project/scaffolding/new_project.py": "metadata of the installed distribution",
    "compile/printing/render.py": "a template of the installed package",
    "changes/table.py": "a file of the installed package",
    "cli/client_config/config_file.py": "a file of the installed package",
    "language/codes.py": "a file of the installed package",
    "proof/containment/formats.py": "a file of the installed package",
    "proof/instances/usual_texts.py": "a file of the installed package",
    "runtime/execution/calls_in_flight.py": "a file that stays open and locked, in which slots are written",
    "runtime/approval/receipts.py": "a file that the operator names, which is only appended to",
    "runtime/definition/unknown_fields.py": "a file of the installed package",
    "runtime/definition/spec_schema.py": "a file of the installed package",
    "runtime/instrumentation/telemetry.py": "a file of the installed package",
    "runtime/settings.py": "a file of the installed package",
    "schema/providers.py": "a file of the installed package",
    "serving/listed_tool.py": "a file of the installed package",
    "serving/approval/pages.py": "a file of the installed package",
    "serving/code_mode/toolkit.py": "a file of the installed package",
    "sources/openapi/environment.py": "a file of the installed package",
    "sources/openapi/responses.py": "a file of the installed package",
    "testing/mock/made_up_answers.py": "a file of the installed package",
    "project/building/worker_pool.py": "a file of its own temporary folder, which workers write",
    "project/cache/entries.py": "the user's cache, a folder that no other user may write to",
    "project/cache/toolchain.py": "the installed packages",
    "serving/transports/stdio.py": "the null device, in place of stdin",
    "runtime/checkpoint.py": "a folder that the operator names, which is shared and locked",
    "serving/command.py": "the null device, in place of closed streams",
}
"""Modules that use files in another way than `toolgen.base.files`, each with the reason."""


def uses_files(node: ast.AST) -> bool:
    """True for a call that reads, writes, lists or removes files by a path."""
    if not isinstance(node, ast.Call):
        return False
    if isinstance(node.func, ast.Name):
        return node.func.id == "open"
    if not isinstance(node.func, ast.Attribute):
        return False
    owner, name = node.func.value, node.func.attr
    if isinstance(owner, ast.Name) and owner.id in ("os", "io", "shutil"):
        return name in OS_FUNCTIONS if owner.id == "os" else name not in ("which", "StringIO", "BytesIO")
    mode = node.args[0].value if node.args and isinstance(node.args[0], ast.Constant) else None
    of_path = isinstance(owner, ast.Call) and isinstance(owner.func, ast.Name) and owner.func.id == "Path"
    return name in PATH_METHODS or (name == "open" and (mode in ("r", "rb", "w", "wb", "xb", "a") or of_path))


def test_files_are_used_in_one_way() -> None:
    """`toolgen.base.files` stays below a folder, reads regular files up to a limit, and writes atomically."""
    found = {
        name(path)
        for path in MODULES
        if any(map(uses_files, ast.walk(tree_of(path))))
        and path.relative_to(PACKAGE).parts[:2] != ("base", "files")
    }
    assert found == set(ANOTHER_WAY)


def test_every_package_is_shipped() -> None:
    listed = set(tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["packages"])
    found = {
        ".".join(("toolgen", *p.parent.relative_to(PACKAGE).parts)) for p in PACKAGE.rglob("__init__.py")
    }
    assert listed == found | {"toolgen.templates"}


def test_no_committed_link_has_an_absolute_path() -> None:
    listed = subprocess.run(["git", "ls-files", "--stage"], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode:
        pytest.skip("not a git repository")
    links = [line.split("\t")[1] for line in listed.stdout.splitlines() if line.startswith("120000")]
    assert [link for link in links if (ROOT / link).readlink().is_absolute()] == []


STREAMS = {"stdout", "stderr", "__stdout__", "__stderr__"}
WRITERS = {
    "__main__.py": "a constant, if an interrupt ends the import of the modules that print",
    "cli/__init__.py": "replaces streams that are closed, and sets their encoding",
    "cli/commands/call.py": "what an implementation prints, which is the project's code, goes to stderr",
    "cli/output.py": "gives the streams to `base/escaping/streams.py`",
    "base/escaping/streams.py": "the one place that prints",
    "serving/command.py": "what an implementation prints, which is the application's code, goes to stderr",
    "serving/transports/stdio.py": "the same, while stdout is for the protocol",
    "serving/transports/stopping.py": "flushes them",
    "runtime/logs/configure.py": "handlers of logging, whose formatters escape",
}
"""The modules that may name stdout or stderr, except to ask for `isatty`, and why."""


def named_streams(tree: ast.AST) -> list[int]:
    """Return the lines that print, or name a stream to which something could be written."""
    asked = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and node.attr in ("isatty", "flush")
    }
    return [
        node.lineno
        for node in ast.walk(tree)
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id in ("print", "input")
        )
        or (
            isinstance(node, ast.Attribute)
            and node.attr.startswith("print_")
            and node.attr != "print_message"
        )
        or (
            isinstance(node, ast.ImportFrom)
            and node.module == "sys"
            and {a.name for a in node.names} & STREAMS
        )
        or (
            isinstance(node, ast.Attribute)
            and node.attr in STREAMS
            and isinstance(node.value, ast.Name)
            and node.value.id == "sys"
            and id(node) not in asked
        )
    ]


def test_text_leaves_through_one_door() -> None:
    found = {name(path) for path in MODULES if named_streams(tree_of(path))}
    assert found == WRITERS.keys()


@pytest.mark.parametrize(
    ("module", "unwanted"),
    [
        ("toolgen", ["pydantic", "yaml", "jinja2", "jsonschema_rs"]),
        ("toolgen.__main__", ["pydantic", "yaml", "jinja2", "jsonschema_rs"]),
        (
            "toolgen.runtime",
            ["yaml", "jinja2", "mcp", "openai", "toolgen.language"],
        ),
        ("toolgen.runtime.http", ["httpx2", "yaml", "toolgen.language"]),
        ("toolgen.schema.dialects.openai", ["pydantic", "jsonschema_rs", "toolgen.language"]),
        ("toolgen.compile.pipeline", ["toolgen.proof.containment.verdict", "toolgen.changes"]),
        ("generated", ["pydantic", "toolgen.runtime", "mcp", "openai", "generated.catalog"]),
        (
            "generated.catalog",
            ["pydantic", "toolgen.schema", "toolgen.runtime.tool", "mcp", "generated.definitions"],
        ),
        ("generated.mcp_server", ["mcp"]),
        ("generated.openai_tools", ["pydantic", "mcp", "openai"]),
        ("generated.anthropic_tools", ["pydantic", "mcp", "anthropic"]),
        ("generated.gemini_tools", ["pydantic", "mcp", "google"]),
        ("generated.bedrock_tools", ["pydantic", "mcp", "botocore"]),
    ],
)
def test_imports_do_not_load_heavy_modules(module: str, unwanted: list[str]) -> None:
    code = f"import sys, {module}; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert not set(unwanted) & set(done.stdout.split())


CAPS = {
    ".": 48,
    "base": 649,
    "changes": 3_686,
    "cli": 4_689,
    "compile": 3_656,
    "documents": 403,
    "language": 3_783,
    "project": 2_697,
    "proof": 4_345,
    "runtime": 11_417,
    "schema": 2_288,
    "serving": 5_288,
    "sources": 6_070,
    "testing": 3_814,
    "upstream": 2_037,
    "tests": 44_998,
    "tools": 4_990,
    "benchmarks": 1_983,
    "templates": 1_106,
    "explorer/src": 1_620,
}
"""The most lines of code that each room, and each folder beside the package, may have.

A cap only falls: lower it when lines have gone. A feature that needs lines takes them from another place.
"""
WORDS = {"docs": 59_884, "CHANGELOG.md": 443}
"""The most words of documentation."""


def lines_of_code() -> dict[str, int]:
    """Return the lines of code of each room, and of each folder beside the package."""
    rooms = {name: row["code"] for name, row in rows_of(PACKAGE_FOLDER).items()}
    return rooms | {name: sum(row["code"] for row in rows_of(name).values()) for name in BESIDE}


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="counts what git tracks")
def test_no_room_grows() -> None:
    found = lines_of_code()
    assert found.keys() == CAPS.keys()
    assert {name: number for name, number in found.items() if number > CAPS[name]} == {}


def test_documentation_does_not_grow() -> None:
    assert {name: words(name) for name in WORDS if words(name) > WORDS[name]} == {}
