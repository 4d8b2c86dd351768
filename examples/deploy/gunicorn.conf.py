"""Settings of gunicorn for a generated server: gunicorn -c gunicorn.conf.py generated.mcp_server:app"""

import os
import signal
from typing import Any

wsgi_app = "generated.mcp_server:app"
worker_class = "asgi"
bind = "127.0.0.1:8000"
# a client's requests reach any of them: TOOLGEN_STATELESS=1
workers = 4
# TOOLGEN_GRACE and more: gunicorn waits so long for calls in flight, at SIGTERM and at SIGHUP
graceful_timeout = 30
keepalive = 75

drain_delay = float(os.environ.get("TOOLGEN_DRAIN_DELAY", "2"))


def post_worker_init(worker: Any) -> None:
    """Let a worker that stops answer for `drain_delay` seconds, and ask its clients to close connections."""

    def stop() -> None:
        worker.asgi.announce_stop()
        worker.loop.call_later(drain_delay, worker.handle_exit_signal)

    worker.loop.add_signal_handler(signal.SIGTERM, stop)
