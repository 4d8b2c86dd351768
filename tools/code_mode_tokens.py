"""Count what models read with and without code mode: `python -m tools.code_mode_tokens --write`.

The catalogues are the tools of the gallery, repeated under other names. Tokens are those of o200k.
"""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, cast

from toolgen.changes.measuring.units import O200K, measure_in, text_measures
from toolgen.project.building.project_build import package_of, program_of, read_inputs
from toolgen.runtime import Toolkit
from toolgen.runtime.definition.tool_definition import ToolDefinition
from toolgen.serving.code_mode.functions import Functions
from toolgen.serving.code_mode.toolkit import code_mode_toolkit
from toolgen.serving.listed_tool import served_tools

ROOT: Final = Path(__file__).parents[1]
PAGE: Final = ROOT / "docs/code-mode.md"
SIZES: Final = (20, 200, 2_000)
TASK: Final = "order brake pads from the supplier and receive the goods"
DESCRIBED: Final = 3  # functions that a script of the task needs
HEADER: Final = (
    "| tools | all listed | listed in code mode | search and descriptions for a script of three tools |\n"
    "|---:|---:|---:|---:|"
)


def catalogue(number: int) -> dict[str, ToolDefinition]:
    """Return definitions of `number` tools."""
    inputs = read_inputs(str(ROOT))
    found = [cast("ToolDefinition", tool.definition) for tool in package_of(program_of(inputs), inputs).tools]
    tools: dict[str, ToolDefinition] = {}
    for copy in range(number):
        tool = found[copy % len(found)]
        name = tool["name"] if copy < len(found) else f"{tool['name']}_{copy // len(found) + 1}"
        tools[name] = {**tool, "name": name}
    return tools


def rows() -> Iterator[str]:
    """Yield a row of the table for each size."""
    measure, count = measure_in(O200K), text_measures()[O200K]
    listed = measure({"tools": served_tools(asyncio.run(_code_mode_definitions()))})
    for number in SIZES:
        definitions = catalogue(number)
        functions = Functions(definitions)
        found = functions.find(TASK, 10, definitions)
        tools = [cast("str", functions.tool_of(name)) for name in list(found)[:DESCRIBED]]
        read = measure({"functions": found}) + count(functions.described(tools))
        functions.close()
        alone = measure({"tools": served_tools(definitions)})
        yield f"| {number:,} | {alone:,} | {listed:,} | {read:,} |"


async def _code_mode_definitions() -> Any:
    return code_mode_toolkit(Toolkit()).definitions


def main() -> None:
    """Print the table, or write it to the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="replace the table in docs/code-mode.md")
    table = "\n".join([HEADER, *rows()])
    if not parser.parse_args().write:
        print(table)
        return
    text = PAGE.read_text()
    before, _, rest = text.partition(HEADER)
    after = rest.lstrip("\n").split("\n\n", 1)[1]
    PAGE.write_text(f"{before}{table}\n\n{after}")


if __name__ == "__main__":
    main()
