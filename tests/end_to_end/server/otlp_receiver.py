"""An OTLP receiver over HTTP that decodes what it gets."""

from __future__ import annotations

import gzip
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest


@dataclass(frozen=True, slots=True)
class Span:
    """A span as it was exported."""

    name: str
    kind: int
    trace_id: str
    span_id: str
    parent_id: str
    attributes: dict[str, Any]
    resource: dict[str, Any]
    is_error: bool
    links: tuple[str, ...] = ()  # trace ids


@dataclass
class Receiver:
    """What was received."""

    url: str
    spans: list[Span] = field(default_factory=list)
    metrics: dict[str, list[dict[str, Any]]] = field(
        default_factory=dict
    )  # attributes of the points, by name
    schemas: set[str] = field(default_factory=set)


@contextmanager
def receiving() -> Iterator[Receiver]:
    """Run a receiver on a free port of the loopback interface."""
    received = Receiver("")

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            if self.headers.get("content-encoding") == "gzip":
                body = gzip.decompress(body)
            if self.path == "/v1/traces":
                received.spans += _spans(body, received.schemas)
            elif self.path == "/v1/metrics":
                for name, points in _points(body):
                    received.metrics[name] = points
            self.send_response(200)
            self.send_header("content-type", "application/x-protobuf")
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    received.url = f"http://127.0.0.1:{server.server_port}"
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
    try:
        yield received
    finally:
        server.shutdown()
        server.server_close()


def _spans(body: bytes, schemas: set[str]) -> Iterator[Span]:
    for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
        for scope in resource.scope_spans:
            schemas.add(scope.schema_url)
            for each in scope.spans:
                yield Span(
                    each.name,
                    each.kind,
                    each.trace_id.hex(),
                    each.span_id.hex(),
                    each.parent_span_id.hex(),
                    _values(each.attributes),
                    _values(resource.resource.attributes),
                    each.status.code == 2,
                    tuple(link.trace_id.hex() for link in each.links),
                )


def _points(body: bytes) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    for resource in ExportMetricsServiceRequest.FromString(body).resource_metrics:
        for scope in resource.scope_metrics:
            for metric in scope.metrics:
                kind = metric.WhichOneof("data")
                data: Any = getattr(metric, str(kind))
                yield metric.name, [_values(point.attributes) for point in data.data_points]


def _values(attributes: Sequence[Any]) -> dict[str, Any]:
    return {each.key: getattr(each.value, str(each.value.WhichOneof("value"))) for each in attributes}
