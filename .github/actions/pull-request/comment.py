"""Comment on a pull request what toolgen finds, and update that comment from then on. Standard library only.

Reads AGAINST, DIRECTORY, PULL_REQUEST, and of GitHub Actions GITHUB_API_URL, GITHUB_REPOSITORY, GITHUB_TOKEN
and GITHUB_STEP_SUMMARY. Ends with the highest exit code of the commands, or with 2 if the comment
cannot be written.
"""

from __future__ import annotations

import json
import os
import secrets
import subprocess
import sys
from http.client import HTTPException
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

MARKER = "<!-- toolgen: pull request -->"
MAX_CHARACTERS = 60_000  # GitHub accepts 65,536
PAGE = 100  # comments
MAX_PAGES = 30
MAX_ANSWER = 20_000_000  # bytes
FORBIDDEN = 403
CUT = "\n\nThe findings are longer than a comment may be. The summary of the job has all of them.\n"


def main() -> int:
    """Run the commands, publish what they print, and return the exit code."""
    code, text = findings(os.environ.get("DIRECTORY", "."), os.environ["AGAINST"])
    if summary := os.environ.get("GITHUB_STEP_SUMMARY"):
        with Path(summary).open("a", encoding="utf-8") as file:
            file.write(text)
    number = os.environ["PULL_REQUEST"]
    if not number:
        return code
    try:
        publish(int(number), f"{MARKER}\n{shortened(text)}")
    except HTTPError as error:
        if error.code == FORBIDDEN:  # GitHub gives pull requests from forks a token that only reads
            print("::warning::toolgen may not comment here. The summary of the job has the findings.")
            return code
        print(f"::error::GitHub answered {error.code} to the comment of toolgen.")
        return max(code, 2)
    except (OSError, HTTPException, ValueError) as error:
        print(f"::error::toolgen could not write its comment ({type(error).__name__}).")
        return max(code, 2)
    return code


def findings(directory: str, against: str) -> tuple[int, str]:
    """Return the highest exit code of the commands, and their reports as Markdown."""
    code, parts = 0, []
    for verb, options in (("breaking", [f"--against={against}"]), ("lint", []), ("budget", [])):
        if verb == "breaking" and is_first(directory, against):
            parts.append("**toolgen breaking**: the version to compare with has no tools yet\n")
            continue
        command = ["toolgen", "-C", directory, verb, "--format", "markdown", *options]
        done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
        log(done.stderr)
        code = max(code, done.returncode if done.returncode >= 0 else 3)
        failed = f"**toolgen {verb}**: exit code {done.returncode}; the log of the job has the error\n"
        parts.append(done.stdout if done.stdout.strip() else failed)
    return code, "\n".join(parts)


def log(text: str) -> None:
    """Print errors, which quote texts of strangers, while the runner reads no workflow commands."""
    word = secrets.token_hex(16)
    print(f"::stop-commands::{word}\n{text.rstrip()}\n::{word}::", flush=True)


def is_first(directory: str, against: str) -> bool:
    """True if `against` is a commit without a configuration: there is nothing to compare with."""

    def has(name: str) -> bool:
        command = ["git", "-C", directory, "cat-file", "-e", name]
        return subprocess.run(command, stderr=subprocess.DEVNULL, check=False).returncode == 0

    # a ref that was not fetched is left to `breaking`, which refuses it
    return has(f"{against}^{{commit}}") and not any(
        has(f"{against}:./{name}") for name in ("toolgen.toml", "pyproject.toml")
    )


def shortened(text: str) -> str:
    """Return whole lines of `text` that fit into a comment."""
    if len(text) <= MAX_CHARACTERS:
        return text
    return text[: text.rindex("\n", 0, MAX_CHARACTERS)] + CUT


def publish(number: int, body: str) -> None:
    """Replace the comment of an earlier run, or else write a new one.

    Raises HTTPError, OSError, HTTPException or ValueError if GitHub does not answer as documented:
    https://docs.github.com/en/rest/issues/comments.
    """
    issues = f"/repos/{os.environ['GITHUB_REPOSITORY']}/issues"
    for page in range(1, MAX_PAGES + 1):
        comments = call("GET", f"{issues}/{number}/comments?per_page={PAGE}&page={page}")
        for comment in comments:
            # anyone can write the marker, but only an app is a Bot
            if str(comment["body"]).startswith(MARKER) and comment["user"]["type"] == "Bot":
                call("PATCH", f"{issues}/comments/{int(comment['id'])}", {"body": body})
                return
        if len(comments) < PAGE:
            break
    call("POST", f"{issues}/{number}/comments", {"body": body})


def call(method: str, path: str, data: Any = None) -> Any:
    """Return the JSON that GitHub's API answers."""
    request = Request(
        os.environ["GITHUB_API_URL"] + path,
        method=method,
        data=None if data is None else json.dumps(data).encode(),
        headers={
            "Accept": "application/vnd.github+json",
            "Authorization": f"Bearer {os.environ['GITHUB_TOKEN']}",
            "Content-Type": "application/json",
            "X-GitHub-Api-Version": "2022-11-28",
        },
    )
    with urlopen(request, timeout=30) as answer:
        return json.loads(answer.read(MAX_ANSWER))


if __name__ == "__main__":
    sys.exit(main())
