"""The Bedrock adapter: validated with botocore's model of the service, and a conversation with the real client."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from adapter_samples import CALLS, bedrock_faults, closed, define, sdk, toolkit
from anthropic_loopback import JsonObject, Loopback, loopback
from toolgen.runtime import ToolResponse
from toolgen.runtime.adapters.bedrock import PROVIDER, tool_config
from toolgen.runtime.adapters.provider import ProviderAdapter

import generated.bedrock_tools

execute_tool_use = ProviderAdapter("bedrock").execute


@pytest.fixture(autouse=True)
def _nobodys_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"):
        monkeypatch.setenv(name, str(tmp_path / "none"))
    for name in ("AWS_PROFILE", "AWS_REGION", "AWS_DEFAULT_REGION", "HTTP_PROXY", "http_proxy"):
        monkeypatch.delenv(name, raising=False)


def use(name: str, given: Any) -> dict[str, Any]:
    return {"toolUse": {"toolUseId": "tooluse_1", "name": name, "input": given}}


def test_the_tool_configuration_is_valid_for_the_service() -> None:
    config = tool_config(toolkit().definitions)
    assert bedrock_faults("ToolConfiguration", config) == ""
    assert bedrock_faults("ToolConfiguration", generated.bedrock_tools.TOOL_CONFIG) == ""
    assert "Missing required parameter" in bedrock_faults(
        "ToolConfiguration", {"tools": [{"toolSpec": {"name": "x"}}]}
    )
    book = config["tools"][0]["toolSpec"]
    assert list(book) == ["name", "description", "inputSchema"]
    assert book["inputSchema"] == {"json": toolkit().definitions["book"]["input_schema"]}


def test_bedrock_strict_is_published_if_the_spec_asks_and_the_schema_allows_it() -> None:
    asks = {"bedrock": {"strict": True}}
    fits = define("x", "X.", closed({"n": {"type": "integer", "minimum": 1}}), targets=asks)
    spec = tool_config({"x": fits})["tools"][0]["toolSpec"]
    assert spec["strict"] is True
    assert spec["inputSchema"]["json"]["properties"] == {"n": {"type": "integer"}}
    assert bedrock_faults("ToolSpecification", spec) == ""
    too_open = define("x", "X.", {"type": "object"}, targets=asks)
    assert "strict" not in tool_config({"x": too_open})["tools"][0]["toolSpec"]


class Bedrock(Loopback):
    """Answers as Converse does."""

    def reply(self, body: JsonObject) -> JsonObject:
        blocks: list[JsonObject] = [{"text": "done"}]
        if not self.seen:
            blocks = [
                {"toolUse": {"toolUseId": f"tooluse_{i}", "name": name, "input": given}}
                for i, (name, given) in enumerate(self.calls)
            ]
        return {
            "output": {"message": {"role": "assistant", "content": blocks}},
            "stopReason": "end_turn" if self.seen else "tool_use",
            "usage": {"inputTokens": 1, "outputTokens": 1, "totalTokens": 2},
            "metrics": {"latencyMs": 1},
        }


def test_a_conversation_with_the_real_client() -> None:
    tools = toolkit()
    config = tool_config(tools.select(names=["book", "rows"]).definitions)
    messages: list[Any] = [{"role": "user", "content": [{"text": "go"}]}]
    with loopback(CALLS, Bedrock) as server:
        client = sdk("botocore.session:Session")().create_client(
            "bedrock-runtime",
            region_name="eu-central-1",
            endpoint_url=server.url,
            aws_access_key_id="none",
            aws_secret_access_key="none",
        )
        first = client.converse(modelId="m", messages=messages, toolConfig=config)
        assert first["stopReason"] == "tool_use"
        said = first["output"]["message"]
        results = [asyncio.run(execute_tool_use(block, tools)) for block in said["content"]]
        messages += [said, {"role": "user", "content": results}]
        last = client.converse(modelId="m", messages=messages, toolConfig=config)
        client.close()
    assert last["output"]["message"]["content"] == [{"text": "done"}]
    assert server.seen[0]["toolConfig"] == json.loads(json.dumps(config))
    sent = [block["toolResult"] for block in server.seen[1]["messages"][-1]["content"]]
    assert [each["toolUseId"] for each in sent] == ["tooluse_0", "tooluse_1", "tooluse_2"]
    assert [each["status"] for each in sent] == ["success", "error", "success"]


@pytest.mark.parametrize("text", ["", " \n"])
def test_a_blank_text_is_sent_as_json(text: str) -> None:
    """Converse refuses a blank text, and an empty list does not say that the result is one."""
    block = PROVIDER.read(use("rows", {})).write(ToolResponse("rows", True, text))
    assert block["toolResult"]["content"] == [{"text": json.dumps(text)}]
    assert bedrock_faults("ContentBlock", block) == ""
