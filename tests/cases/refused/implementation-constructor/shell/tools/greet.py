from generated.tools.greet import GreetTool


class Greet(GreetTool):
    async def execute(self, request, context):
        return "hello"

    def __init__(self, url):
        self.url = url
