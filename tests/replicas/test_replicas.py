"""A rolled replica costs no call; of a killed one, each is answered or `outcome_unknown`, and none is done twice."""

from __future__ import annotations

import asyncio
import signal
from collections import Counter
from collections.abc import Iterator

import pytest

from tools.operate.__main__ import faults_of
from tools.operate.deployment import Deployment, deployed, missing_programs
from tools.operate.load import Load, Tally

pytestmark = pytest.mark.replicas


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Deployment]:
    assert not missing_programs(), f"not installed: {missing_programs()}"
    with deployed(tmp_path_factory.mktemp("replicas")) as found:
        yield found


def under_load(running: Deployment, calls: int, signals: list[int]) -> tuple[Tally, list[str]]:
    """End replicas one after the other during a load; return how its calls ended, and the ledger."""
    (running.folder / "ledger").write_text("")

    async def run() -> Tally:
        load = Load(running.url, calls)
        work = asyncio.create_task(load.run())
        for number, how in enumerate(signals):
            while load.tally.sent < calls * (number + 1) / (len(signals) + 1) and not work.done():
                await asyncio.sleep(0.02)
            await running.restart(running.replicas[number], how)
        return await work

    tally = asyncio.run(run())
    return tally, running.ledger


def test_a_rolled_replica_costs_no_call(running: Deployment) -> None:
    tally, ledger = under_load(running, 6000, [signal.SIGTERM] * 3)

    assert Counter(tally.ended.values()) == {"answered": 6000}, tally.events
    assert not [what for what in tally.events if what.startswith("lost")], tally.events
    assert Counter(ledger).most_common(1)[0][1] == 1


def test_of_a_killed_replica_each_call_is_answered_or_its_outcome_is_unknown(running: Deployment) -> None:
    tally, ledger = under_load(running, 3000, [signal.SIGKILL])

    assert faults_of(tally, ledger) == []
    assert any(what.startswith("lost") for what in tally.events), "the replica was not killed under load"
    assert all(tally.counts(era, "look").keys() == {"answered"} for era in ("modern", "legacy"))
