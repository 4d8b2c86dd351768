"""Spans, metrics and trace ids of a running server, as an operator configures them and a collector gets them."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest
from toolgen.runtime.instrumentation.telemetry import instruments

from tests.end_to_end.calls.test_logs import records
from tests.end_to_end.project import HttpServer, Project
from tests.end_to_end.raw_http import connect
from tests.end_to_end.server.otlp_receiver import Receiver, receiving

TRACE, PARENT = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
TRACEPARENT = f"00-{TRACE}-{PARENT}-01"
RULES = Path(__file__).parents[3] / "examples" / "deploy" / "alerts.yaml"


def exporting(received: Receiver, **more: str) -> dict[str, str]:
    """Return the environment of a server that exports soon."""
    return {
        "OTEL_EXPORTER_OTLP_ENDPOINT": received.url,
        "OTEL_SERVICE_NAME": "shop",
        "OTEL_BSP_SCHEDULE_DELAY": "100",
        "OTEL_METRIC_EXPORT_INTERVAL": "200",
        "TOOLGEN_LOG_FORMAT": "json",
        **more,
    }


async def until(condition: Any) -> None:
    async with asyncio.timeout(60):
        while not condition():
            await asyncio.sleep(0.05)


def address_of_metrics(server: HttpServer) -> str:
    return re.findall(r'http://[^\s"]+/metrics', server.log)[0]


def scrape(server: HttpServer) -> str:
    with urlopen(address_of_metrics(server)) as answer:
        return str(answer.read().decode())


async def call(server: HttpServer, *, session: bool, meta: dict[str, str]) -> None:
    async with connect(server.url, session=session) as connection:
        await connection.send("tools/call", {"name": "echo", "arguments": {"text": "x"}, "_meta": meta})
        assert (await connection.receive()).status == 200


async def test_a_call_is_a_span_in_its_requests_span_of_the_callers_trace_in_both_eras(
    serving: Project,
) -> None:
    def check(received: Receiver) -> None:
        requests = [span for span in received.spans if span.name == "tools/call echo"]
        assert [(span.trace_id, span.parent_id) for span in requests[:2]] == [(TRACE, PARENT)] * 2
        assert requests[2].parent_id == ""
        assert requests[0].kind == 2  # SERVER
        assert requests[0].resource["service.name"] == "shop"
        calls = [span for span in received.spans if span.name == "execute_tool echo"]
        assert [span.parent_id for span in calls] == [span.span_id for span in requests]
        assert calls[0].attributes.keys() >= {"gen_ai.tool.name", "toolgen.call_id"}
        assert {span.attributes["mcp.method.name"] for span in received.spans if span.kind == 2} == {
            "initialize",
            "notifications/initialized",
            "tools/call",
        }

    with receiving() as received:
        async with serving.server(**exporting(received)) as server:
            for session in (False, True):
                await call(server, session=session, meta={"traceparent": TRACEPARENT})
            await call(server, session=False, meta={"traceparent": "00-forged" + "x" * 9000})
            await until(lambda: len([s for s in received.spans if s.name == "tools/call echo"]) == 3)
        check(received)
        log = server.log
    finished = [each for each in records(log) if each.get("event") == "finished"]
    assert [each["trace_id"] for each in finished[:2]] == [TRACE] * 2
    assert all(len(each["span_id"]) == 16 for each in finished)


async def test_prometheus_reads_the_same_instruments_on_a_port_of_their_own(serving: Project) -> None:
    flags = ("--metrics-port", "0", "--sessions", "7")
    async with serving.server(*flags, TOOLGEN_LOG_FORMAT="json") as server:
        await call(server, session=True, meta={})
        async with connect(server.url.removesuffix("/mcp") + "/metrics") as connection:
            await connection.request("GET")
            refused = (await connection.receive()).status
        text = ""
        while "event_loop_lag_seconds_count" not in text:
            await asyncio.sleep(0.1)
            text = await asyncio.to_thread(scrape, server)
        log, found = server.log, []
        for host in ("evil.example:9464", "localhost:1", "10.1.2.3:9464", "[fd00::1]"):
            async with connect(address_of_metrics(server)) as connection:
                connection.headers = {"host": host}
                await connection.request("GET")
                found.append((await connection.head())[0])
    assert found == [421, 200, 200, 200]
    assert refused == 404  # metrics are not served to clients
    lines = text.splitlines()
    assert (
        'gen_ai_execute_tool_duration_seconds_count{gen_ai_tool_name="echo",gen_ai_tool_type="function",toolgen_outcome="ok"} 1.0'
        in lines
    )
    assert "toolgen_sessions 1.0" in lines
    assert 'toolgen_http_refusals_total{http_response_status_code="404"} 1.0' in lines
    assert any(line.startswith("process_open_fds") for line in lines)
    assert "OTEL" not in log


def test_without_telemetry_no_sdk_is_imported(serving: Project) -> None:
    code = (
        "import sys\n"
        "from generated.mcp_server import app\n"
        "from toolgen.serving.transports import http_server\n"
        "found = [name for name in sys.modules if name.startswith(('opentelemetry.sdk', 'prometheus'))]\n"
        "assert not found, found\n"
    )
    done = serving.python("-c", code, preloaded=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("env", "flags", "message"),
    [
        ({"OTEL_TRACES_EXPORTER": "zipkin"}, (), "OTEL_… variables: Requested component 'zipkin' not found"),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:9", "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"}, (), "'otlp_proto_grpc' not found"),
        ({}, ("--metrics-port", "70000"), "'70000' is not a port"),
    ],
)  # fmt: skip
def test_what_cannot_be_exported_ends_the_start(
    serving: Project, env: dict[str, str], flags: tuple[str, ...], message: str
) -> None:
    done = serving.python("-m", "generated.mcp_server", "--http", "--port", "0", *flags, **env)

    assert done.returncode == 2
    assert message in done.stderr


def test_alerts_are_about_instruments_that_exist() -> None:
    exported = set()
    for name, each in instruments().items():  # by the names that Prometheus has for them
        name = name.replace(".", "_") + ("_seconds" if each["unit"] == "s" else "")
        parts = {"histogram": ("_count", "_bucket"), "counter": ("_total",), "gauge": ("",)}[each["kind"]]
        exported |= {name + part for part in parts}

    text = re.sub(r"\{.*?\}|by \(.*?\)", "", RULES.read_text())  # labels
    named = set(re.findall(r"\b(?:gen_ai|mcp|toolgen)_\w+", text))

    assert len(named) > 5
    assert named <= exported


def test_the_documentation_has_the_table_of_instruments() -> None:
    text = (RULES.parents[2] / "docs" / "operations.md").read_text()

    for name, each in instruments().items():
        attributes = ", ".join(f"`{attribute}`" for attribute in each["attributes"])
        assert f"| `{name}` | {each['kind']}, {each['unit']} | {attributes} | {each['description']} |" in text
