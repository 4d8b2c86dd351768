import asyncio

from generated import TreeRequest, TreeResponse, TreeTool
from generated.models.tree import Node
from toolgen.runtime import ToolContext, Toolkit


def depth(node: Node) -> int:
    return 1 + max(map(depth, node.children or []), default=0)


class Tree(TreeTool):
    def execute(self, request: TreeRequest, context: ToolContext) -> TreeResponse:
        print(request.model_dump(mode="json", by_alias=True, exclude_unset=True))
        return TreeResponse(depth=depth(request.root))


LEAF = {"value": 1, "parent": None}
for arguments in (
    {"root": {"value": 0, "children": [LEAF, {"value": 2, "children": [LEAF]}]}},
    {"root": LEAF, "json": {"a": [1, True, None, 1.5, {"b": "1"}]}, "again": {"root": LEAF}},
    {"root": {"value": 0, "children": [{"value": "one"}]}},
):
    answer = asyncio.run(Toolkit([Tree()]).call("tree", arguments))
    print(answer.content if answer.success else answer.error.code)
