"""Run a server as operators do, kill parts of it under load, and print one page about what happened.

`python -m tools.operate [--calls N]`, as `make operate`: Redis, three replicas behind nginx, two workers and
an OTLP receiver, all as processes of this machine. Exit code 1 if a call was lost, wrong, or done twice.
"""

from __future__ import annotations

import argparse
import asyncio
import re
import signal
import statistics
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from .deployment import Deployment, deployed, missing_programs
from .load import Load, Tally
from .otlp_receiver import Receiver, Span, receiving
from .project import TOOLS

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
SCRAPED = (
    "mcp_server_operation_duration_seconds_count",
    "toolgen_tool_result_bytes_total",
    "toolgen_sessions",
    "toolgen_degraded_parts",
    "toolgen_log_dropped_total",
)
SHOWN = ("gen_ai_tool_name", "toolgen_outcome", "toolgen_error_code", "toolgen_part")
SERVER = 2  # the kind of a span


def main() -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="make operate", description=__doc__)
    parser.add_argument("--calls", type=int, default=4000, help="calls in all, of both eras")
    args = parser.parse_args()
    if missing := missing_programs():
        print(f"not installed: {', '.join(missing)}", file=sys.stderr)
        return 2
    with (
        tempfile.TemporaryDirectory() as name,
        receiving() as received,
        deployed(Path(name), otlp=received.url, workers=2) as found,
    ):
        load = Load(found.url, args.calls, (*(("look", "pay", "order") * 2), "report"), trace=TRACE)
        began = time.monotonic()
        happened = asyncio.run(_run(found, load))
        seconds = time.monotonic() - began
        _wait_for_spans(received)
        return _page(found, load.tally, received, happened=happened, seconds=seconds)


async def _run(found: Deployment, load: Load) -> list[str]:
    """Make the calls, and end parts of the deployment at a quarter, a half and three quarters of them."""
    running, happened = asyncio.create_task(load.run()), []
    steps = (
        ("replica-1 killed (SIGKILL)", found.replicas[0], signal.SIGKILL),
        ("worker-1 killed (SIGKILL)", found.workers[0], signal.SIGKILL),
        ("replica-2 rolled (SIGTERM)", found.replicas[1], signal.SIGTERM),
    )
    for number, (text, process, how) in enumerate(steps, 1):
        while load.tally.sent < load.calls * number / 4 and not running.done():
            await asyncio.sleep(0.02)
        happened.append(f"{text} after {load.tally.sent} calls")
        await found.restart(process, how)
    await running
    return happened


def _wait_for_spans(received: Receiver) -> None:
    until = time.monotonic() + 15
    while time.monotonic() < until and len(_trace(received)) < 2:
        time.sleep(0.2)


def _trace(received: Receiver) -> list[Span]:
    return [span for span in received.spans if span.trace_id == TRACE]


def _page(found: Deployment, tally: Tally, received: Receiver, *, happened: list[str], seconds: float) -> int:
    """Print the page; return the exit code."""
    print(f"{len(tally.ended)} calls in {seconds:.1f} s over three replicas and two workers\n")
    for text in happened:
        print(f"  {text}")
    _print_calls(tally)
    print("\nerrors and what clients had to do:")
    for what, count in sorted((tally.events + Counter(tally.ended.values())).items()):
        print(f"  {count:>6} {what}")
    faults = faults_of(tally, found.ledger)
    twice = [text for text in faults if "times" in text]
    print(f"\nledger: {len(found.ledger)} executions, {len(twice)} of them of what was done before")
    print("\nmetrics as scraped, of the replicas that run now:")
    for number, replica in enumerate(found.replicas, 1):
        for name, value in _scraped(replica.metrics()).items():
            print(f"  replica-{number} {name} {value:g}")
    print("\nspans of one call, across replica and worker:")
    for span in sorted(_trace(received), key=lambda each: each.kind != SERVER):
        of, parent = span.resource["service.name"], span.parent_id
        print(f"  {of:10} {span.name} (span {span.span_id}, parent {parent})")
    for fault in faults[:20]:
        print(f"fault: {fault}", file=sys.stderr)
    return 1 if faults or len(_trace(received)) < 2 else 0


def _print_calls(tally: Tally) -> None:
    print("\nera     tool     calls  answered  unknown  other   p50 ms   p99 ms")
    for era in ("modern", "legacy"):
        for tool in TOOLS:
            ends = tally.counts(era, tool)
            numbers = [n for n in tally.ended if (tally.eras[n], tally.tools[n]) == (era, tool)]
            if not numbers:
                continue
            took = sorted(tally.seconds[number] * 1000 for number in numbers)
            p50, p99 = statistics.median(took), took[min(len(took) - 1, int(len(took) * 0.99))]
            other = ends.total() - ends["answered"] - ends["outcome_unknown"]
            print(
                f"{era:8}{tool:7}{ends.total():>7}{ends['answered']:>10}{ends['outcome_unknown']:>9}"
                f"{other:>7}{p50:>9.0f}{p99:>9.0f}"
            )


def _scraped(text: str) -> dict[str, float]:
    """Return the values of SCRAPED, summed over all labels but those in SHOWN."""
    found: dict[str, float] = {}
    for line in text.splitlines():
        if not line.startswith(SCRAPED) or ("mcp_server" in line and "tools/call" not in line):
            continue
        name, _, value = line.rpartition(" ")
        labels = [
            f"{key}={text}"
            for key, text in re.findall(r'(\w+)=("[^"]*")', name)
            if key in SHOWN and text != '""'
        ]
        shown = name.partition("{")[0] + (f"{{{', '.join(labels)}}}" if labels else "")
        found[shown] = found.get(shown, 0) + float(value)
    return found


def faults_of(tally: Tally, ledger: list[str]) -> list[str]:
    """Return what must not happen: calls without an end, wrong answers, and what was done twice."""
    done = Counter(ledger)
    faults = []
    for number, end in tally.ended.items():
        tool = tally.tools[number]
        times = done[f"{tool} {number}"]
        if end not in ("answered", "outcome_unknown"):
            faults.append(f"{tally.eras[number]} {tool} {number}: {end}")
        if end == "answered" and not times:
            faults.append(f"{tool} {number} was answered and not done")
        if tool in ("pay", "order", "wipe") and times > 1:
            faults.append(f"{tool} {number} was done {times} times")
    return faults


if __name__ == "__main__":
    sys.exit(main())
