"""A person who approves what a command waits for: `python person.py toolgen call …`. The key is software."""

import json
import re
import subprocess
import sys
from pathlib import Path
from urllib.request import Request, urlopen

from toolgen.testing.test_key import TestKey

key = TestKey.make()
Path("approvers.toml").write_text(key.entry("Ann", ["finance"]))
waiting = subprocess.Popen(sys.argv[1:], stderr=subprocess.PIPE, text=True)
for line in waiting.stderr or ():
    print(line, end="")
    if found := re.search(r"(http://localhost:\d+)/approvals/\S+", line):
        act = json.load(urlopen(f"{found[0]}/request"))
        body = json.dumps({"credential": key.sign(act["digest"], found[1])}).encode()
        headers = {"Content-Type": "application/json", "Origin": found[1]}
        print(urlopen(Request(found[0], body, headers)).read().decode())
sys.exit(waiting.wait())
