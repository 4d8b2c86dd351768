from toolgen.runtime import ToolContext

from generated.tools.json_schema_2020_12_tool import JsonSchema202012ToolRequest, JsonSchema202012ToolTool


class Everything(JsonSchema202012ToolTool):
    def execute(self, request: JsonSchema202012ToolRequest, context: ToolContext) -> str:
        return "ok"
