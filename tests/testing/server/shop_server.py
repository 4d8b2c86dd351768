"""An MCP server of a shop in plain JSON-RPC over stdio, without any library: `shop_server.py FILE FAULT`.

It lists what FILE says (`toolgen export mcp`), and has at most one fault.
"""

import json
import subprocess
import sys
import time

with open(sys.argv[1]) as listed:
    LISTED = json.load(listed)["tools"]
FAULT = sys.argv[2]
STOCK = {"bell": 3, "tyre": 9}


def send(message):
    """Write one message."""
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def ask(text):
    """Ask the user; return True for a yes."""
    form = {"type": "object", "properties": {"sure": {"type": "boolean"}}, "required": ["sure"]}
    params = {"message": text, "requestedSchema": form}
    send({"id": "question", "method": "elicitation/create", "params": params})
    answer = json.loads(sys.stdin.readline())
    return answer.get("result", {}).get("action") == "accept" and answer["result"]["content"]["sure"] is True


def error(text, code):
    """Return the result of a call that failed."""
    meta = {"toolgen/error": {"code": code, "message": text}}
    return {"content": [{"type": "text", "text": text}], "isError": True, "_meta": meta}


def good(content):
    """Return the result of a call."""
    result = {"content": [{"type": "text", "text": json.dumps(content)}]}
    return result if FAULT == "text only" else {**result, "structuredContent": content}


def look(arguments):
    """Return how many of a part there are."""
    part = arguments["part"]
    if part not in STOCK:
        return error("There is no such part.", "sold_out" if FAULT == "other code" else "unknown_part")
    return good({"left": 4 if FAULT == "wrong output" else STOCK[part]})


def clear(arguments):
    """Empty the shelf, if the user agrees."""
    if not CLIENT_ASKS and FAULT != "acts alone":
        return error("Nobody can be asked.", "confirmation_required")
    if FAULT == "acts alone":
        return good({"left": 0})
    if ask("Clear the shelf?"):
        STOCK["cleared"] = STOCK.get("cleared", -1) + 1
        return good({"left": STOCK["cleared"]})
    return error("The user said no.", "declined")


def watch(arguments, token):
    """Send two words, one after the other."""
    words = ["ding", "dong"]
    for number, word in enumerate(words[:1] if FAULT == "loses a chunk" else words):
        progress = {"progressToken": token, "progress": number + 1, "message": word}
        send({"method": "notifications/progress", "params": progress})
    return good({"words": words})


def call(params):
    """Return the result of a call."""
    misbehave()
    name, arguments = params["name"], params.get("arguments", {})
    if name == "watch":
        return watch(arguments, params.get("_meta", {}).get("progressToken"))
    return {"look": look, "clear": clear}[name](arguments)


def misbehave():
    """Do not answer properly."""
    if FAULT in ("hangs", "leaves a process"):
        time.sleep(99)
    elif FAULT == "dies":
        sys.exit("out of\x1b[2J paper")
    elif FAULT == "floods":
        while True:
            sys.stdout.write("x" * 99_999)
    elif FAULT == "asks":
        ask("May I?")


def answer(request):
    """Return the result of a request."""
    global CLIENT_ASKS
    if request["method"] == "initialize":
        CLIENT_ASKS = "elicitation" in request["params"]["capabilities"]
        version = request["params"]["protocolVersion"]
        info = {"name": "shop", "version": "3"}
        return {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": info}
    if request["method"] == "tools/list":
        return {"tools": LISTED}
    if request["method"] == "tools/call":
        return call(request["params"])
    raise LookupError(request["method"])


if FAULT == "leaves a process":
    child = subprocess.Popen(["sleep", "99"])
    with open("child", "w") as file:
        file.write(str(child.pid))
for line in sys.stdin:
    request = json.loads(line)
    if "id" not in request:
        continue
    try:
        send({"id": request["id"], "result": answer(request)})
    except LookupError as fault:
        send({"id": request["id"], "error": {"code": -32601, "message": f"there is no {fault}"}})
