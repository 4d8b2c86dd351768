import asyncio

from generated import SearchRequest, SearchResponse, SearchTool
from toolgen.runtime import ToolContext, Toolkit


class Search(SearchTool):
    def execute(self, request: SearchRequest, context: ToolContext) -> SearchResponse:
        print(request.model_dump(mode="json", by_alias=True, exclude_unset=True))
        return SearchResponse.model_validate({"hits": [type(request.shape).__name__]})


for arguments in (
    {"id": "1", "flag": 1, "mixed": 1, "wild": True, "when": None},
    {"id": 1, "flag": True, "mixed": None, "wild": 1, "when": "2026-01-01"},
    {"flag": 1.0, "wild": 0.5, "lists": ["1"], "shape": {"kind": "square", "side": 1}},
    {"wild": {"a": 1}, "lists": [1], "vague": {"n": "5", "m": "x"}, "both": {"a": 1, "b": "1"}},
    {"open": {"a": 1, "b": "2"}, "shape": {"kind": "circle", "radius": 0.5, "n": None}},
    {"open": {"b": 2}},
    {"shape": {"kind": "circle", "side": 1}},
):
    answer = asyncio.run(Toolkit([Search()]).call("search", arguments))
    print(answer.content if answer.success else answer.error.code)
