"""The API that openapi.json describes."""

import json
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer

PRICES = {"bell": 12.5}


class Api(BaseHTTPRequestHandler):
    """Answers GET /prices/{article}."""

    def do_GET(self) -> None:
        """Return the price as JSON."""
        price = PRICES.get(self.path.rpartition("/")[2])
        body = json.dumps({"price": price} if price else {"error": "unknown"}).encode()
        self.send_response(200 if price else 404)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: object) -> None:
        """Stay silent."""


HTTPServer(("127.0.0.1", int(sys.argv[1])), Api).serve_forever()
