"""Set OpenTelemetry up in a server process: exporters by the variables `OTEL_*`, and text for Prometheus.

Nothing here is imported unless the operator asks for it. A program that has set providers, as
`opentelemetry-instrument` does, keeps them.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Final

from toolgen.runtime.logs.logger import LOGGER
from toolgen.runtime.settings import SettingError

from .metrics import current_metrics

ServeMetrics = Callable[[str, int], int]
"""Serves the metrics as text, at a host and a port. Returns the port; raises OSError."""

_INSTALL: Final = "pip install 'toolgen[otel]'"
_ENDPOINT: Final = "OTEL_EXPORTER_OTLP_ENDPOINT"


def start_export(*, serves_metrics: bool = False) -> ServeMetrics | None:
    """Export spans and metrics of this process as its environment says.

    Return what serves the metrics if `serves_metrics`. Raises SettingError if that, or an exporter that the
    environment names, is not installed.
    """
    exporters = {signal: _exporters(signal) for signal in ("traces", "metrics")}
    if not serves_metrics and not any(exporters.values()):
        return None
    try:
        import opentelemetry.sdk  # noqa: F401
    except ModuleNotFoundError as error:
        if serves_metrics:
            raise SettingError(f"--metrics-port needs OpenTelemetry's SDK: {_INSTALL}") from error
        # a platform may set the variables in all of its containers
        LOGGER.warning("OTEL_… variables are set, and nothing is exported: %s", _INSTALL)
        return None
    if os.environ.get("OTEL_SDK_DISABLED", "").lower() == "true":
        exporters = {"traces": [], "metrics": []}
    _start_traces(exporters["traces"])
    return _start_metrics(exporters["metrics"], serves_metrics=serves_metrics)


def _exporters(signal: str) -> list[str]:
    """Return the names of a signal's exporters; with only an endpoint, OTLP."""
    # https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/#exporter-selection
    given = os.environ.get(f"OTEL_{signal.upper()}_EXPORTER", "")
    if not given:
        has_endpoint = any(
            os.environ.get(name) for name in (_ENDPOINT, f"OTEL_EXPORTER_OTLP_{signal.upper()}_ENDPOINT")
        )
        return ["otlp"] if has_endpoint else []
    return [name for name in map(str.strip, given.split(",")) if name and name != "none"]


def _load(signal: str, name: str) -> Any:
    """Return the class of an exporter. Raises SettingError if it is not installed."""
    variable = f"OTEL_{signal.upper()}_EXPORTER"
    if name == "otlp":
        variable = f"OTEL_EXPORTER_OTLP_{signal.upper()}_PROTOCOL"
        protocol = os.environ.get(variable) or os.environ.get("OTEL_EXPORTER_OTLP_PROTOCOL")
        name = "otlp_proto_grpc" if protocol == "grpc" else "otlp_proto_http"
    found: list[EntryPoint] = list(entry_points(group=f"opentelemetry_{signal}_exporter", name=name))
    if not found:
        package = f"opentelemetry-exporter-{name.replace('_', '-')}"
        raise SettingError(
            f"{variable}: the exporter {name!r} is not installed: {_INSTALL} has otlp over HTTP; "
            f"others are packages such as {package}"
        )
    return found[0].load()


def _start_traces(names: list[str]) -> None:
    from opentelemetry import trace
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    if not names or not isinstance(trace.get_tracer_provider(), trace.ProxyTracerProvider):
        return
    provider = TracerProvider()  # sampler, limits and resource are those of the environment
    for name in names:
        provider.add_span_processor(BatchSpanProcessor(_load("traces", name)()))
    trace.set_tracer_provider(provider)


def _start_metrics(names: list[str], *, serves_metrics: bool) -> ServeMetrics | None:
    from opentelemetry import metrics
    from opentelemetry.sdk.metrics import MeterProvider
    from opentelemetry.sdk.metrics.export import MetricReader, PeriodicExportingMetricReader

    if current_metrics() is not None:
        if serves_metrics:
            raise SettingError(
                "--metrics-port: this program has set a meter provider already, which exports the metrics"
            )
        return None
    readers: list[Any] = []
    for name in names:
        exporter: Any = _load("metrics", name)
        is_reader = isinstance(exporter, type) and issubclass(exporter, MetricReader)
        try:
            made: Any = exporter()
        except OSError as error:  # a process that is replaced may still have the port for Prometheus
            LOGGER.error("metrics are not exported to %s: %s", name, error)
            continue
        readers.append(made if is_reader else PeriodicExportingMetricReader(made))
    serve = _prometheus(readers) if serves_metrics else None
    if readers:
        metrics.set_meter_provider(MeterProvider(readers))
    return serve


def _prometheus(readers: list[Any]) -> ServeMetrics:
    """Add a reader of the metrics as text, with those of the process that Prometheus's client has."""
    try:
        from opentelemetry.exporter.prometheus import PrometheusMetricReader
        from prometheus_client import start_http_server
    except ModuleNotFoundError as error:
        raise SettingError(f"--metrics-port needs the exporter for Prometheus: {_INSTALL}") from error
    readers.append(PrometheusMetricReader(scope_info_enabled=False))

    def serve(host: str, port: int) -> int:
        server, _ = start_http_server(port, host)
        return server.server_port

    return serve
