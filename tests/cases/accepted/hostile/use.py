import ast
import asyncio
import pathlib

import generated.openai_tools
from generated import HostileTool
from generated.catalog import HOSTILE
from toolgen.runtime import ToolContext, Toolkit


class Hostile(HostileTool):
    def execute(self, request: object, context: ToolContext) -> object:
        return request.model_dump(mode="json", by_alias=True, exclude_unset=True)


for file in sorted(pathlib.Path("generated").rglob("*.py")):
    calls = [ast.unparse(node.func) for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, ast.Call)]
    print(file, sorted(set(calls)))
VALUE = {'"""\nimport os\n': "x", "'": "'''\"\"\"", "\0": "\0", "customTypePath": {"a": 1}, "pattern": "'\\"}
print(asyncio.run(Toolkit([Hostile()]).call("hostile", VALUE)).content == VALUE)
print(ascii(HOSTILE["description"]))
print(ascii(generated.openai_tools.CHAT_TOOLS[0]["function"]["description"]) == ascii(HOSTILE["description"]))
