"""Comment on a pull request what toolgen finds, and update that comment from then on. Standard library only.

Reads AGAINST, DIRECTORY, PULL_REQUEST, and of GitHub Actions GITHUB_API_URL, GITHUB_REPOSITORY, GITHUB_TOKEN.
Ends with 1 if a command does, and with 2 if a command could not do its work.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import urllib.request
from typing import Any

MARKER = "<!-- toolgen: pull request -->"
LONGEST = 60_000  # characters; GitHub takes 65,536
PAGES = 20  # of a hundred comments


def main() -> int:
    """Run the commands, comment what they print, and return the worst exit code."""
    commands = {
        "breaking": ["breaking", "--against", os.environ["AGAINST"]],
        "lint": ["lint"],
        "budget": ["budget"],
    }
    worst, parts = 0, [MARKER]
    for name, words in commands.items():
        done = subprocess.run(
            ["toolgen", "-C", os.environ.get("DIRECTORY", "."), *words, "--format", "markdown"],
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            check=False,
        )
        worst = max(worst, done.returncode)
        parts.append(done.stdout.strip() or f"**toolgen {name}**: exit code {done.returncode}")
    comment("\n\n".join(parts)[:LONGEST])
    return worst


def comment(text: str) -> None:
    """Write the comment, in place of the one that an earlier run has written."""
    issues = f"repos/{os.environ['GITHUB_REPOSITORY']}/issues"
    number = int(os.environ["PULL_REQUEST"])
    for page in range(1, PAGES + 1):
        found = request("GET", f"{issues}/{number}/comments?per_page=100&page={page}")
        for each in found:
            # somebody else could quote the marker: only a bot's comment begins with it
            if each["body"].startswith(MARKER) and each["user"]["type"] == "Bot":
                request("PATCH", f"{issues}/comments/{int(each['id'])}", {"body": text})
                return
        if len(found) < 100:
            break
    request("POST", f"{issues}/{number}/comments", {"body": text})


def request(method: str, path: str, data: Any = None) -> Any:
    """Call GitHub's API, https://docs.github.com/en/rest/issues/comments."""
    asked = urllib.request.Request(
        f"{os.environ['GITHUB_API_URL']}/{path}",
        method=method,
        data=None if data is None else json.dumps(data).encode(),
        headers={
            "Accept": "application/vnd.github+json",
            "Authorization": f"Bearer {os.environ['GITHUB_TOKEN']}",
            "Content-Type": "application/json",
            "X-GitHub-Api-Version": "2022-11-28",
        },
    )
    with urllib.request.urlopen(asked, timeout=30) as answer:
        return json.load(answer)


if __name__ == "__main__":
    sys.exit(main())
