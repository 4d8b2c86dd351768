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


def error(text, code=None):
    """Return the result of a call that failed."""
    result = {"content": [{"type": "text", "text": text}], "isError": True}
    return result if code is None else {**result, "_meta": {"toolgen/error": {"code": code, "message": text}}}


def good(content):
    """Return the result of a call."""
    result = {"content": [{"type": "text", "text": json.dumps(content)}]}
    return result if FAULT == "text only" else {**result, "structuredContent": content}


def look(arguments):
    """Return how many of a part there are."""
    part = arguments["part"]
    if part not in STOCK:
        codes = {"other code": "sold_out", "no codes": None}
        return error("There is no such part.", codes.get(FAULT, "unknown_part"))
    left = {"wrong output": 4, "invalid output": -1}.get(FAULT, STOCK[part])
    return good({"left": left})


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
        if FAULT != "no chunks":
            send({"method": "notifications/progress", "params": progress})
    return good({"words": words})


def call(params):
    """Return the result of a call."""
    misbehave()
    name, arguments = params["name"], params.get("arguments", {})
    if FAULT == "requires input for ever":
        form = {"type": "object", "properties": {"sure": {"type": "boolean"}}, "required": ["sure"]}
        params = {"message": "Really?", "mode": "form", "requestedSchema": form}
        question = {"method": "elicitation/create", "params": params}
        return {"resultType": "input_required", "inputRequests": {"sure": question}, "requestState": "again"}
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
    elif FAULT == "floods messages":
        while True:
            send({"method": "notifications/message", "params": {"level": "info", "data": "x" * 9_999}})
    elif FAULT == "asks for ever":
        while True:
            ask("Really?")
    elif FAULT == "asks":
        ask("May I?")
    elif FAULT == "prints":
        print("Looking \x1b[2Jfor it")
    elif FAULT == "bad result":
        raise ValueError("content")


def answer(request):
    """Return the result of a request."""
    global CLIENT_ASKS
    if request["method"] == "initialize":
        CLIENT_ASKS = "elicitation" in request["params"]["capabilities"]
        version = request["params"]["protocolVersion"]
        info = {"name": "shop", "version": "3"}
        return {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": info}
    if request["method"] == "server/discover" and FAULT == "requires input for ever":
        about = {"resultType": "complete", "ttlMs": 0, "cacheScope": "public"}
        return {**about, "supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}}
    if request["method"] == "tools/list" and FAULT == "requires input for ever":
        return {"resultType": "complete", "ttlMs": 0, "cacheScope": "public", "tools": LISTED}
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
    except ValueError as fault:
        send({"id": request["id"], "result": {str(fault): 7}})
