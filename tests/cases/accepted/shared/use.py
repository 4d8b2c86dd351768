import asyncio

from generated import QuoteRequest, QuoteResponse, QuoteTool
from toolgen.runtime import ToolContext, Toolkit


class Quote(QuoteTool):
    def execute(self, request: QuoteRequest, context: ToolContext) -> QuoteResponse:
        print(request.page.limit if request.page else None)
        return QuoteResponse(lines=request.lines, total="3.00")  # the same class on both sides


for arguments in ({"lines": [{"sku": "A", "price": "3.00"}], "page": {}}, {"lines": [{"sku": "A", "price": "three"}]}):
    answer = asyncio.run(Toolkit([Quote()]).call("quote", arguments))
    print(answer.content if answer.success else answer.error.as_text())
