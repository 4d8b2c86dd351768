"""Types of generated code: projects type-check without an SDK, and definitions are what the SDKs take."""

from __future__ import annotations

import json
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest

from tests.end_to_end.project import Project

SITE = Path(sysconfig.get_paths()["purelib"])
TOOLGEN = Path(__file__).parents[3] / "generator" / "toolgen"
NEEDED = [
    "annotated_types",
    "jsonschema_rs",
    "puremagic",
    "pydantic",
    "pydantic_core",
    "typing_extensions.py",
    "typing_inspection",
]
TARGETS = ["anthropic", "bedrock", "gemini", "mcp", "openai"]
IMPLEMENTATION = """
from __future__ import annotations

from generated.tools.echo import EchoRequest, EchoResponse, EchoTool
from toolgen.runtime import ToolContext


class Echo(EchoTool):
    async def execute(self, request: EchoRequest, context: ToolContext) -> EchoResponse:
        return EchoResponse(text=request.text)
"""
USE = """
from __future__ import annotations

from collections.abc import Iterable

from anthropic import Anthropic
from anthropic.types import ToolParam, ToolSearchToolBm25_20251119Param, ToolUnionParam
from google.genai.types import FunctionDeclarationDict, GenerateContentConfigDict, ToolDict
from openai import OpenAI
from openai.types.chat import ChatCompletionFunctionToolParam, ChatCompletionToolUnionParam
from openai.types.responses import FunctionToolParam, NamespaceToolParam, ToolSearchToolParam
from openai.types.responses import ToolParam as ResponsesToolParam

from generated import anthropic_tools, gemini_tools
from generated.openai_tools import CHAT_TOOLS, RESPONSES_TOOLS

chat_tool: ChatCompletionFunctionToolParam = CHAT_TOOLS[0]
chat_tools: Iterable[ChatCompletionToolUnionParam] = CHAT_TOOLS
responses_tool: FunctionToolParam | NamespaceToolParam | ToolSearchToolParam = RESPONSES_TOOLS[0]
responses_tools: Iterable[ResponsesToolParam] = RESPONSES_TOOLS
anthropic_tool: ToolParam | ToolSearchToolBm25_20251119Param = anthropic_tools.TOOLS[0]
anthropic_list: Iterable[ToolUnionParam] = anthropic_tools.TOOLS
gemini_function: FunctionDeclarationDict = gemini_tools.FUNCTION_DECLARATIONS[0]
gemini_tool: ToolDict = gemini_tools.TOOLS[0]
gemini_config: GenerateContentConfigDict = {"tools": [*gemini_tools.TOOLS]}


def ask() -> None:
    OpenAI().chat.completions.create(model="m", messages=[], tools=CHAT_TOOLS)
    OpenAI().responses.create(model="m", input="hello", tools=RESPONSES_TOOLS)
    Anthropic().messages.create(model="m", max_tokens=1, messages=[], tools=anthropic_tools.TOOLS)
"""

CHART_SPEC = """
name: chart
description: Draw a chart.
input_schema: {type: object}
output_schema: {type: object, required: [total], properties: {total: {type: integer}}}
content: [{type: image, min: 1}, {type: link}]
"""
CHART = """
from __future__ import annotations

from generated.tools.chart import ChartRequest, ChartResponse, ChartTool
from toolgen.runtime import Audio, Image, Link, ToolContext, ToolResult


class Both(ChartTool):
    async def execute(
        self, request: ChartRequest, context: ToolContext
    ) -> ToolResult[ChartResponse, Image | Link]:
        return ToolResult(ChartResponse(total=7), Image(b"png"), Link("https://example.com"))


class OnlyAnImage(ChartTool):
    def execute(self, request: ChartRequest, context: ToolContext) -> ToolResult[ChartResponse, Image]:
        result = ToolResult(ChartResponse(total=7), Image(b"png"))
        return result
"""
WRONG_CHART = """
from __future__ import annotations

from generated.tools.chart import ChartRequest, ChartResponse, ChartTool
from toolgen.runtime import Audio, Image, ToolContext, ToolResult


class Undeclared(ChartTool):
    async def execute(self, request: ChartRequest, context: ToolContext) -> ToolResult[ChartResponse, Audio]:
        return ToolResult(ChartResponse(total=7), Audio(b"wav"))


class WithoutImage(ChartTool):
    async def execute(self, request: ChartRequest, context: ToolContext) -> ChartResponse:
        return ChartResponse(total=7)


class WithoutResponse(ChartTool):
    async def execute(self, request: ChartRequest, context: ToolContext) -> Image:
        return Image(b"png")


name = Image("chart.png")
"""


MODELS = """
from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any

from pydantic import BaseModel
from toolgen.runtime import BaseTool, Image, ToolContext, ToolResponse, ToolResult


class Q(BaseModel):
    a: int


class R(BaseModel):
    b: int


class Other(BaseModel):
    b: int
"""
HAND_WRITTEN = f"""{MODELS}

class Plain(BaseTool[Q, R]):
    def execute(self, request: Q, context: ToolContext) -> R:
        return R(b=request.a)


class Injected(BaseTool[Q, R]):
    async def execute(self, request: Q, context: ToolContext, *, db: int, more: str = "") -> R:
        return R(b=db)


class Blocks(BaseTool[Q, R]):
    async def execute(self, request: Q, context: ToolContext) -> ToolResult[R, Image]:
        return ToolResult(R(b=1), Image(b"png"))


class Whole(BaseTool[Q, R]):
    def execute(self, request: Q, context: ToolContext) -> ToolResponse:
        return ToolResponse(content=R(b=1))


class Streamed(BaseTool[Q, R]):
    async def execute(self, request: Q, context: ToolContext) -> AsyncIterator[int | R]:
        yield 1
        yield R(b=1)


class Iterated(BaseTool[Q, Any]):
    def execute(self, request: Q, context: ToolContext) -> Iterator[str]:
        yield "a"


class WithoutModels(BaseTool[dict[str, Any], str]):
    def execute(self, request: dict[str, Any], context: ToolContext) -> str:
        return "a"
"""
WRONG_RESPONSES = f"""{MODELS}

class Text(BaseTool[Q, R]):
    def execute(self, request: Q, context: ToolContext) -> str:
        return "a"


class Model(BaseTool[Q, R]):
    async def execute(self, request: Q, context: ToolContext, *, db: int) -> Other:
        return Other(b=db)
"""
WRONG_REQUESTS = f"""{MODELS}

class Plain(BaseTool[Q, R]):
    def execute(self, request: Other, context: ToolContext) -> R:
        return R(b=1)


class Injected(BaseTool[Q, R]):
    async def execute(self, request: Other, context: ToolContext, *, db: int) -> R:
        return R(b=db)
"""

pytestmark = pytest.mark.slow


@pytest.fixture
def typed(project: Project) -> Project:
    """A generated project whose implementation has all types."""
    project.write("tools/echo.py", IMPLEMENTATION)
    return project


def _environment(project: Project, *, with_sdks: bool) -> Path:
    """Make a virtual environment with toolgen and what the runtime needs; return its Python."""
    folder = project.root / ".venv"
    venv.create(folder, with_pip=False, symlinks=True)
    (site,) = folder.glob("lib/python*/site-packages")
    (site / "toolgen").symlink_to(TOOLGEN)
    if with_sdks:
        (site / "sdks.pth").write_text(f"{SITE}\n")
    else:
        for name in NEEDED:
            (site / name).symlink_to(SITE / name)
    return folder / "bin" / "python"


def _check(project: Project, checker: str, python: Path, *paths: str) -> tuple[int, str]:
    """Run a type checker as a user would, with `python`'s packages."""
    words = {
        "mypy": [
            "--strict",
            "--python-executable",
            str(python),
            "--cache-dir",
            str(project.root / "cache/mypy"),
        ],
        "pyright": ["--pythonpath", str(python)],
    }[checker]
    done = subprocess.run(
        [sys.executable, "-m", checker, *words, *(paths or ["."])],
        cwd=project.root,
        capture_output=True,
        text=True,
        check=False,
        env=project.environment({"MYPYPATH": ""}),
    )
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize("targets", [*([each] for each in TARGETS), TARGETS], ids="+".join)
@pytest.mark.parametrize("checker", ["mypy", "pyright"])
def test_a_fresh_project_type_checks_without_sdks(typed: Project, checker: str, targets: list[str]) -> None:
    configuration = typed.root / "toolgen.toml"
    configuration.write_text(f"{configuration.read_text()}targets = {json.dumps(targets)}\n")
    typed.generate()
    python = _environment(typed, with_sdks=False)
    assert subprocess.run([python, "-c", "import openai"], capture_output=True, check=False).returncode == 1
    code, said = _check(typed, checker, python)
    assert code == 0, said


@pytest.mark.parametrize("checker", ["mypy", "pyright"])
def test_definitions_are_assignable_to_the_types_of_each_sdk(typed: Project, checker: str) -> None:
    typed.generate()
    python = _environment(typed, with_sdks=True)
    typed.write("use.py", USE)
    code, said = _check(typed, checker, python, "use.py")
    assert code == 0, said


def _wrong_lines(project: Project, checker: str, right: str, wrong: str) -> int:
    """Return in how many lines of `wrong` the checker finds an error, in a project with the tool `chart`."""
    project.add_tool("chart", CHART_SPEC)
    project.generate()
    python = _environment(project, with_sdks=False)
    project.write("use.py", right)
    project.write("wrong.py", wrong)
    code, said = _check(project, checker, python, "use.py")
    assert code == 0, said
    code, said = _check(project, checker, python, "wrong.py")
    assert code == 1, said
    return len({line.split(":")[1] for line in said.splitlines() if "error" in line and "wrong.py:" in line})


@pytest.mark.parametrize("checker", ["mypy", "pyright"])
def test_a_type_checker_knows_which_blocks_a_tool_may_return(project: Project, checker: str) -> None:
    assert _wrong_lines(project, checker, CHART, WRONG_CHART) == 4


@pytest.mark.parametrize(
    ("checker", "wrong"),
    # pyright compares no arguments if any may follow: the class is refused when it is made
    [("mypy", WRONG_RESPONSES), ("mypy", WRONG_REQUESTS), ("pyright", WRONG_RESPONSES)],
)
def test_a_type_checker_knows_the_models_of_a_hand_written_tool(
    project: Project, checker: str, wrong: str
) -> None:
    assert _wrong_lines(project, checker, HAND_WRITTEN, wrong) == 2
