"""Settings of gunicorn for a generated server: gunicorn -c gunicorn.conf.py generated.mcp_server:app"""

wsgi_app = "generated.mcp_server:app"
worker_class = "asgi"
bind = "127.0.0.1:8000"
# a client's requests reach any of them: TOOLGEN_STATELESS=1
workers = 4
# TOOLGEN_GRACE and more: gunicorn waits so long for calls in flight, at SIGTERM and at SIGHUP
graceful_timeout = 30
keepalive = 75
