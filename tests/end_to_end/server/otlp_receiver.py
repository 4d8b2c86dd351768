"""An OTLP receiver over HTTP that decodes what it gets."""

from __future__ import annotations

import gzip
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from tests.http_server import QuietHandler, serve


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
    links: tuple[str, ...] = ()  # trace ids


@dataclass
class Receiver:
    """What was received."""

    url: str
    spans: list[Span] = field(default_factory=list)
    schemas: set[str] = field(default_factory=set)


@contextmanager
def receiving() -> Iterator[Receiver]:
    """Run a receiver on a free port of the loopback interface."""
    received = Receiver("")

    class Handler(QuietHandler):
        def do_POST(self) -> None:
            body = self.received()
            if self.headers.get("content-encoding") == "gzip":
                body = gzip.decompress(body)
            if self.path == "/v1/traces":
                received.spans += _spans(body, received.schemas)
            self.reply(b"", content_type="application/x-protobuf")

    with serve(Handler) as received.url:
        yield received


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
                    tuple(link.trace_id.hex() for link in each.links),
                )


def _values(attributes: Sequence[Any]) -> dict[str, Any]:
    return {each.key: getattr(each.value, str(each.value.WhichOneof("value"))) for each in attributes}
