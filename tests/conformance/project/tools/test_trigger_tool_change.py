from toolgen.runtime import BaseTool, ToolContext, Toolkit, ToolSpec

from generated.tools.test_trigger_tool_change import TestTriggerToolChangeRequest, TestTriggerToolChangeTool


class Added(BaseTool[dict, str]):
    spec = ToolSpec(name="added", description="It was added while the server ran.")

    def execute(self, request: dict, context: ToolContext) -> str:
        return "added"


class TriggerToolChange(TestTriggerToolChangeTool):
    async def execute(
        self, request: TestTriggerToolChangeRequest, context: ToolContext, *, toolkit: Toolkit
    ) -> str:
        if "added" in toolkit:
            toolkit.remove("added")
            return "removed"
        toolkit.add(Added())
        return "added"
