"""Bridges without frameworks: importing loads none, and a missing one is reported."""

from __future__ import annotations

import subprocess
import sys

import pytest
from toolgen.serving import bridges

ROOTS = ["langchain_core", "langgraph", "pydantic_ai", "agents", "fastmcp"]


def python(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)


def test_importing_the_bridges_imports_no_framework() -> None:
    done = python("import sys, toolgen.serving.bridges as b; dir(b); print(*sys.modules)")
    assert not {*ROOTS, "mcp", "openai", "pydantic", "jsonschema_rs"} & set(done.stdout.split())


@pytest.mark.parametrize(
    ("name", "framework", "root", "package"),
    [
        ("langchain_tools", "LangChain", "langchain_core", "langchain"),
        ("pydantic_ai_toolset", "pydantic-ai", "pydantic_ai", "pydantic-ai-slim"),
        ("openai_agents_tools", "the OpenAI Agents SDK", "agents", "openai-agents"),
        ("stop_on_final_answer", "the OpenAI Agents SDK", "agents", "openai-agents"),
        ("fastmcp_provider", "FastMCP", "fastmcp", "fastmcp"),
    ],
)
def test_a_missing_framework_is_named_with_the_command(
    name: str, framework: str, root: str, package: str
) -> None:
    done = python(f"import sys; sys.modules[{root!r}] = None; from toolgen.serving.bridges import {name}")
    last = done.stderr.strip().splitlines()[-1]
    assert last == f"ModuleNotFoundError: this bridge needs {framework}: pip install {package}"


def test_another_missing_module_is_not_blamed_on_the_framework(monkeypatch: pytest.MonkeyPatch) -> None:
    def load(name: str) -> None:
        raise ModuleNotFoundError("No module named 'numpy'", name="numpy")

    monkeypatch.setattr(bridges, "_load", load)
    with pytest.raises(ModuleNotFoundError, match=r"^No module named 'numpy'$"):
        bridges.langchain_tools  # noqa: B018


def test_every_public_name_can_be_imported() -> None:
    assert {"langchain_tools", "stop_on_final_answer"} <= set(bridges.__all__) <= set(dir(bridges))
    with pytest.raises(AttributeError, match="has no attribute 'nope'"):
        bridges.nope  # noqa: B018
