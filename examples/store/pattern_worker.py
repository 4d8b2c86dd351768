"""Run one regular expression over many texts, in a separate process.

`python -I -S pattern_worker.py < job.json > result.json`

Python's `re` cannot be interrupted, and a pattern such as `(a+)+$` may run for ever. A process can be killed.
Standard library only, and nothing of this package, so that it starts quickly and alone.
"""

from __future__ import annotations

import json
import re
import sys

TYPE_CHECKING = False  # to import it from `typing` takes a quarter of the time of a small job
if TYPE_CHECKING:
    from typing import Any

MAX_MEMORY = 512 * 1024 * 1024


def run(job: dict[str, Any]) -> dict[str, Any]:
    """Job: pattern, replacement, ignore_case, room, texts. Result: `invalid` with the reason, `too_large`,
    or `texts`, each the new text and how many replacements it took.

    A job without replacement only looks; its result is `lines`: for each text, the numbers of the lines,
    counted from 0, that hold a match.
    """
    try:
        pattern = re.compile(job["pattern"], re.MULTILINE | (re.IGNORECASE if job["ignore_case"] else 0))
        if "replacement" in job:
            pattern.sub(job["replacement"], "")  # validates the replacement, even if no text matches
    except (re.error, IndexError, OverflowError, RecursionError) as fault:
        return {"invalid": str(fault)}
    if "replacement" not in job:
        return {"lines": [matching_lines(pattern, text) for text in job["texts"]]}
    results = []
    room = job["room"]
    for text in job["texts"]:
        result = pattern.subn(job["replacement"], text)
        room -= len(result[0])
        if room < 0:
            return {"too_large": True}
        results.append(result)
    return {"texts": results}


def matching_lines(pattern: re.Pattern[str], text: str) -> list[int]:
    """Return the numbers, from 0, of the lines that contain a match."""
    return [number for number, line in enumerate(text.split("\n")) if pattern.search(line)]


def main() -> None:
    try:
        import resource
    except ImportError:  # not on Windows; the time limit of the parent still applies
        pass
    else:
        resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY, MAX_MEMORY))
    json.dump(run(json.load(sys.stdin)), sys.stdout)


if __name__ == "__main__":
    main()
