import asyncio

from generated import EitherRequest, EitherTool
from generated.catalog import tool_class
from toolgen.runtime import ToolContext, ToolError, Toolkit


def same(tool: str, value: dict) -> None:
    """What comes back is what went in."""
    try:
        request = tool_class(tool).check_inputs(value)
    except ToolError as error:
        print(tool, "refused:", error.message.splitlines()[1:])
    else:
        print(tool, request.model_dump(mode="json", by_alias=True, exclude_unset=True) == value)


KINDS = ("s", 10**30, 0.5, True)
same("wide", {f"p{i:03}": KINDS[i % 4] for i in range(1, 206)})
same("wide", {"p001": 1, "p205": 1, "p206": None})
same("wide", {"p001": 1})
deep = 1
for level in range(13, 0, -1):
    deep = {f"level{level}": deep if level % 3 else [deep]}
same("deep", deep)
same("deep", {"level1": {"level2": {"level3": [{}]}}})
for value in (
    {"share": 0.5, "node": {"next": {"at": 0.25}}, "pair": ["a", 0.5, None], "card": "ab", "$schema": "x"},
    {"share": 1},
    {"node": {"next": {"at": 0}}},
    {"card": "a"},
    {"pair": ["a"], "card": "a", "share": 0.1},
    {"pair": ["a", 0.5, 1], "card": "ab", "share": 0.1},
):
    same("seven", value)
for value in ({"id": 1, "more": [None]}, {"name": "x", "exact": False}, {}, {"id": 1, "name": "x"}):
    same("either", value)


class Either(EitherTool):
    def execute(self, request: EitherRequest, context: ToolContext) -> object:
        return {"found": 1e20} if "id" in request.model_dump() else {"reason": "none", "tried": ["all"]}


for value in ({"id": 1}, {"name": "x"}):
    print(asyncio.run(Toolkit([Either()]).call("either", value)).content)
