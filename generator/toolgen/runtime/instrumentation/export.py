"""Set OpenTelemetry up in a server process: as the variables `OTEL_*` say, and as text for Prometheus.

Nothing here is imported unless the operator asks for it. A program that has set providers, as
`opentelemetry-instrument` does, keeps them.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib.metadata import entry_points
from typing import Any, Final

from toolgen.runtime.logs.logger import LOGGER
from toolgen.runtime.settings import SettingError

from .telemetry import current_metrics, current_tracer

ServeMetrics = Callable[[str, int, Callable[[str], bool]], int]
"""Serves the metrics as text, at a host and a port, for Host headers that the function accepts. Returns the
port; raises OSError."""

_INSTALL: Final = "pip install 'toolgen[otel]'"
# https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/#exporter-selection
_EXPORTERS: Final = ("OTEL_TRACES_EXPORTER", "OTEL_METRICS_EXPORTER")
_ENDPOINTS: Final = tuple(f"OTEL_EXPORTER_OTLP_{of}ENDPOINT" for of in ("", "TRACES_", "METRICS_"))


def start_export(*, serves_metrics: bool = False) -> ServeMetrics | None:
    """Export spans and metrics of this process as its environment says.

    Return what serves the metrics if `serves_metrics`; they are not exported in another way then. Raises
    SettingError if that, or an exporter that the environment names, is not installed.
    """
    serve = _prometheus() if serves_metrics else None
    if any(os.environ.get(name) for name in (*_EXPORTERS, *_ENDPOINTS)) and current_tracer() is None:
        _configure()
    return serve


def _configure() -> None:
    """Set providers as `opentelemetry-instrument` does: by the configurator of opentelemetry-distro."""
    configurators = list(entry_points(group="opentelemetry_configurator"))
    if not configurators:
        # a platform may set the variables in all of its containers
        LOGGER.warning("OTEL_… variables are set, and nothing is exported: %s", _INSTALL)
        return
    os.environ.setdefault("OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf")
    if any(os.environ.get(name) for name in _ENDPOINTS):
        for name in _EXPORTERS:
            os.environ.setdefault(name, "otlp")
    try:
        configurators[0].load()().configure()
    except (RuntimeError, ImportError, OSError) as error:  # no such exporter; its port is taken
        raise SettingError(f"OTEL_… variables: {error}; {_INSTALL} has otlp over HTTP") from error


def _prometheus() -> ServeMetrics:
    """Set a reader of the metrics as text, with those of the process that Prometheus's client has."""
    if current_metrics() is not None:
        raise SettingError(
            "--metrics-port: this program has set a meter provider already, which exports the metrics"
        )
    try:
        from opentelemetry import metrics  # all of the extra `otel`
        from opentelemetry.exporter.prometheus import PrometheusMetricReader
        from opentelemetry.sdk.metrics import MeterProvider
        from prometheus_client import start_http_server
    except ModuleNotFoundError as error:
        raise SettingError(f"--metrics-port needs OpenTelemetry's SDK: {_INSTALL}") from error
    metrics.set_meter_provider(MeterProvider([PrometheusMetricReader(scope_info_enabled=False)]))

    def serve(host: str, port: int, accepts: Callable[[str], bool]) -> int:
        server, _ = start_http_server(port, host)
        answer: Any = server.get_app()

        def answer_accepted(environ: dict[str, Any], start_response: Any) -> Any:
            if accepts(environ.get("HTTP_HOST", "")):
                return answer(environ, start_response)
            start_response("421 Misdirected Request", [("Content-Type", "text/plain")])
            return [b"The Host header is not allowed: see --allowed-host\n"]

        server.set_app(answer_accepted)
        return server.server_port

    return serve
