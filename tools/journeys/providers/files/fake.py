"""OpenAI and Anthropic as far as this journey needs them: the model calls `greet`, then says its answer."""

import json
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer


class Fake(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        assert asked["tools"], "the request has the tools"
        last = asked["messages"][-1]
        body = chat(last) if "chat" in self.path else message(last)
        content = json.dumps(body).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *words: object) -> None:
        pass


def chat(last: dict) -> dict:
    call = {"id": "c1", "type": "function", "function": {"name": "greet", "arguments": '{"name": "Ada"}'}}
    answer = {"role": "assistant", "content": None, "tool_calls": [call]}
    if last["role"] == "tool":
        answer = {"role": "assistant", "content": json.loads(last["content"])["message"]}
    choice = {"index": 0, "finish_reason": "stop", "message": answer}
    return {"id": "1", "object": "chat.completion", "created": 0, "model": "m", "choices": [choice]}


def message(last: dict) -> dict:
    block = {"type": "tool_use", "id": "t1", "name": "greet", "input": {"name": "Bo"}}
    if isinstance(last["content"], list):
        result = last["content"][0]["content"]
        text = result if isinstance(result, str) else result[0]["text"]
        block = {"type": "text", "text": json.loads(text)["message"]}
    return {
        "id": "1",
        "type": "message",
        "role": "assistant",
        "model": "m",
        "content": [block],
        "stop_reason": "end_turn",
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }


HTTPServer(("127.0.0.1", int(sys.argv[1])), Fake).serve_forever()
