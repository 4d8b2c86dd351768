"""A server over stdio that lists and answers what the file says: also what no honest server would.

The file has `tools`, and `answer`: a result, "refuse", or "die" after a chunk of a stream.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

SAID: dict[str, Any] = json.loads(Path(sys.argv[1]).read_text())


def send(**message: Any) -> None:
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


def answer(request: dict[str, Any]) -> None:
    match request["method"]:
        case "initialize":
            capabilities = {"tools": {}}
            server = {"name": SAID.get("name", "strange"), "version": "1"}
            version = request["params"]["protocolVersion"]
            found = {"protocolVersion": version, "capabilities": capabilities, "serverInfo": server}
            send(id=request["id"], result=found)
        case "tools/list":
            send(id=request["id"], result={"tools": SAID["tools"]})
        case "tools/call" if SAID["answer"] == "die":
            token = request["params"].get("_meta", {}).get("progressToken")
            if token is not None:
                params = {"progressToken": token, "progress": 1, "message": "line 0"}
                send(method="notifications/progress", params=params)
            print("out of memory", file=sys.stderr)
            sys.exit(3)
        case "tools/call" if SAID["answer"] == "refuse":
            send(id=request["id"], error={"code": -32000, "message": "closed on Sundays"})
        case "tools/call":
            send(id=request["id"], result=SAID["answer"])
        case _ if "id" in request:
            send(id=request["id"], error={"code": -32601, "message": "Method not found"})


for line in sys.stdin:
    answer(json.loads(line))
