"""`toolgen test --against`: servers that keep the specs, that break them in one way, and that misbehave."""

from __future__ import annotations

import json
import os
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest
from toolgen.sources.mcp_client import connection, limits
from toolgen.testing.server import run as server_subject

from tests.http_server import McpHandler, mcp_response, serve
from tests.processes import is_gone

from .shop import SPECS, Shop

pytestmark = pytest.mark.skipif(os.name != "posix", reason="looks at processes as POSIX has them")


def test_a_server_that_keeps_the_specs_passes(shop: Shop) -> None:
    tools = json.loads(shop.listing.read_text())["tools"]
    shop.listing.write_text(
        json.dumps({"tools": [*tools, {"name": "sell", "inputSchema": {"type": "object"}}]})
    )
    report = shop.report()
    assert [(tool["name"], tool["result"]) for tool in report["tools"]] == [
        ("clear", "not tested"),
        ("look", "passed"),
        ("watch", "passed"),
    ]
    assert report["server"] == "'shop 3', MCP 2025-11-25"
    assert report["not_in_specs"] == ["sell"]
    clear, look, watch = report["tools"]
    assert (clear["calls"], look["calls"]) == (0, 12)
    assert clear["not_tested"] == "it may change or destroy data of the server"
    assert look["not_checked"]["read-only"] == "the state of a server cannot be seen"
    assert watch["not_checked"] == {"read-only": "the state of a server cannot be seen"}


def test_all_calls_are_made_if_they_are_allowed(shop: Shop) -> None:
    (clear,) = shop.report("clear", "--all-calls")["tools"]
    assert (clear["result"], clear["calls"] > 0) == ("passed", True)
    assert clear["not_checked"]["failed-calls"] == "the state of a server cannot be seen"


def test_people_are_not_asked_to_approve_calls_of_a_test(shop: Shop) -> None:
    spec = shop.cli.root / "specs" / "clear.yaml"
    spec.write_text(spec.read_text().replace("shelf?}", "shelf?, proof: person}"))
    (clear,) = shop.report("clear", "--all-calls")["tools"]
    assert (clear["result"], clear["calls"]) == ("not tested", 0)
    assert clear["not_tested"] == "people would be asked to approve its calls"


FAULTS = {
    ("look", "wrong output"): ("example", "example 'bells' has another output"),
    ("clear", "acts alone"): ("consent", "the tool acted although the user declined"),
    ("watch", "loses a chunk"): ("stream", "the chunks do not add up to 'words' of the response"),
    ("watch", "asks"): (
        "consent",
        "the server asks the user 'May I?', and the spec has no `confirm` or `asks`",
    ),
    ("look", "hangs"): ("crash", "there is no answer within 0.5 seconds"),
    ("look", "dies"): ("crash", "the server ended (exit code 1): 'out of\\u001b[2J paper'"),
    ("look", "floods"): ("crash", "more than 1 MB"),
}


@pytest.mark.parametrize(("name", "fault"), FAULTS, ids=lambda each: each.replace(" ", "_"))
def test_a_fault_of_a_server_is_found(
    shop: Shop, monkeypatch: pytest.MonkeyPatch, name: str, fault: str
) -> None:
    monkeypatch.setattr(connection, "MAX_ANSWER_BYTES", 1024 * 1024)
    if fault == "hangs":
        monkeypatch.setattr(server_subject, "CALL_SECONDS", 0.5)
    check, message = FAULTS[name, fault]
    failure = shop.failure(name, fault)
    assert (failure["check"], message in failure["message"]) == (check, True), failure["message"]
    assert failure["file"] == f"specs/{name}.yaml"


def test_the_command_of_a_failure_makes_the_call_again(shop: Shop) -> None:
    failure = shop.failure("look", "wrong output")
    done = shop.cli(*shlex.split(failure["command"])[1:])
    assert (done.code, json.loads(done.out)) == (0, {"left": 4})
    failure = shop.failure("look", "other code")
    done = shop.cli(*shlex.split(failure["command"])[1:])
    assert (done.code, done.out, done.err) == (1, "", "There is no such part.\n")


def test_a_confirmed_call_is_made_again_with_yes(shop: Shop) -> None:
    call = ("call", "clear", "--against", shop.command())
    assert shop.cli(*call).err == "Nobody can be asked.\n"
    assert json.loads(shop.cli(*call, "--yes").out) == {"left": 0}


def test_a_server_without_structured_content_is_read_as_json(shop: Shop) -> None:
    assert shop.tool("look", "text only")["result"] == "passed"


def test_another_schema_is_found_with_a_value(shop: Shop) -> None:
    wider = {"type": "object", "required": ["part"], "properties": {"part": {"type": ["string", "null"]}}}
    shop.relist(look={"inputSchema": wider})
    failures = shop.tool("look")["failures"]
    assert {failure["check"] for failure in failures} == {"listing"}
    (diff,) = (failure["diff"] for failure in failures if failure["diff"])
    assert diff[0].startswith("+ valid by the server's schema, and not by the spec: {")
    assert ("specs/look.yaml", 8) in [(failure["file"], failure["line"]) for failure in failures]
    assert any("'type' of 'part' widened" in failure["message"] for failure in failures)


def test_a_schema_that_accepts_the_same_values_is_the_same(shop: Shop) -> None:
    (tool,) = (each for each in json.loads(shop.listing.read_text())["tools"] if each["name"] == "look")
    part = {"anyOf": [{"type": "string", "maxLength": 40}], "title": "Part"}
    draft = "http://json-schema.org/draft-07/schema#"
    same = {**tool["inputSchema"], "$schema": draft, "properties": {"part": part}}
    shop.relist(look={"inputSchema": same, "description": "Another text."})
    look = shop.tool("look")
    assert look["result"] == "passed", look["failures"]
    assert look["notes"][0].startswith("texts for models differ: /description")


def test_other_annotations_are_found_and_stop_all_calls(shop: Shop) -> None:
    shop.relist(look={"annotations": {"readOnlyHint": False}})
    look = shop.tool("look")
    messages = [failure["message"] for failure in look["failures"]]
    assert "listing: the server lists another contract: readOnlyHint changed to false" in messages
    assert look["calls"] == 0
    assert look["not_tested"] == "by the server's own annotations, it may change or destroy data"


def test_a_missing_tool_and_a_broken_definition_are_found(shop: Shop) -> None:
    shop.relist(look={"name": "Look"}, watch={"outputSchema": {"type": "object", "pattern": 7}})
    clear, look, watch = shop.report()["tools"]
    assert (clear["result"], look["result"], watch["result"]) == ("not tested", "failed", "failed")
    assert look["failures"][0]["message"] == "listing: the server has no tool 'look'; did you mean 'Look'?"
    assert (look["calls"], look["failures"][0]["line"]) == (0, 1)


def test_no_process_of_a_hanging_server_is_left(
    shop: Shop, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(server_subject, "CALL_SECONDS", 0.5)
    monkeypatch.chdir(tmp_path)
    assert shop.test(fault="leaves a process").code == 1
    assert is_gone(int((tmp_path / "child").read_text()))


def test_a_server_that_fails_again_and_again_is_given_up(shop: Shop) -> None:
    for name in ("one", "two"):
        shop.cli.spec(name, SPECS["look"].replace("name: look", f"name: {name}"))
    shop.listing.write_text(shop.cli("export", "mcp").out)
    tools = shop.report("--all-calls", fault="dies")["tools"]
    assert [tool["calls"] for tool in tools] == [0] * 5
    messages = [tool["failures"][0]["message"] for tool in tools]
    assert all("the server ended" in message for message in messages[:3])
    assert all("not tested: the server failed with 3 tools" in message for message in messages[3:])


UNABLE = {
    "no-such-program --flag": "there is no command 'no-such-program'",
    f"{sys.executable} -c 'import sys; sys.exit(\"no licence\")'": "the server ended (exit code 1): 'no licence'",
    f"{sys.executable} -c 'import time; time.sleep(99)'": "did not answer within 1 seconds",
    "http://127.0.0.1:9/mcp": "http://127.0.0.1:9/mcp: ",
}


@pytest.mark.parametrize("against", UNABLE, ids=lambda each: each[-20:])
def test_a_server_that_cannot_be_tested_is_an_error(
    shop: Shop, monkeypatch: pytest.MonkeyPatch, against: str
) -> None:
    monkeypatch.setattr(connection, "MAX_ANSWER_BYTES", 1024 * 1024)
    monkeypatch.setattr(limits, "TIME_LIMIT", 1.0 if "sleep" in against else 20.0)
    done = shop.test(against=against)
    assert (done.code, done.out) == (2, ""), done.err
    assert UNABLE[against] in done.err
    assert "Traceback" not in done.err


class Guarded(McpHandler):
    """A server over HTTP that wants a token; it lists another tool."""

    def answer(self, message: Any) -> None:
        if self.headers.get("Authorization") != "Bearer s3cr3t-t0ken":
            self.reply(b"", 401)
            return
        other = {"name": "other", "inputSchema": {"type": "object"}}
        self.reply(mcp_response(message, tools_list={"tools": [other]}))


def test_headers_come_from_the_environment_and_are_never_shown(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHOP_AUTHORIZATION", "Bearer s3cr3t-t0ken")
    with serve(Guarded) as url:
        refused = shop.test(against=url)
        assert (refused.code, url in refused.err) == (2, True)
        done = shop.test("--header", "Authorization=SHOP_AUTHORIZATION", against=url)
    assert done.code == 1
    assert "the server has no tool 'look'" in done.out
    assert "s3cr3t" not in done.out + done.err + refused.err
