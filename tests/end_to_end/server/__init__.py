"""The generated server as a process: speed, limits, shutdown, other ASGI servers."""
