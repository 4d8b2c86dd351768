from generated.tools.greet import GreetTool


class Greet(GreetTool):
    async def execute(self, request, context):
        return "hello"


class Other(GreetTool):
    async def execute(self, request, context):
        return "hi"
