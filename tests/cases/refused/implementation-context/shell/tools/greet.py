from generated.tools.greet import GreetTool


class Greet(GreetTool):
    async def execute(self, request, context, *, orders, log):
        return "hello"
