"""Replicas are rolled and killed, and Redis fails, under load: no call is lost, and none is done twice."""

from __future__ import annotations

import asyncio
import signal
from collections import Counter
from collections.abc import Iterator

import pytest

from tests.replicas.deployment import Deployment, deployed, missing_programs
from tests.replicas.load import Load, Tally

pytestmark = pytest.mark.replicas


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Deployment]:
    assert not missing_programs(), f"not installed: {missing_programs()}"
    with deployed(tmp_path_factory.mktemp("replicas")) as found:
        yield found


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


AWAY = 4.0  # seconds
SHARED = ("order", "find", "wipe")  # tools that need Redis: for a key, a limit, a confirmation


async def trouble_redis(running: Deployment, trouble: str) -> Counter[str]:
    """Freeze, restart or slow down Redis; return how often each tool was executed meanwhile."""
    redis = running.redis
    if trouble == "slow":
        for _ in range(int(AWAY / 0.1)):
            redis.frozen()
            await asyncio.sleep(0.08)
            redis.restored()
            await asyncio.sleep(0.02)
        return Counter()
    await asyncio.to_thread(redis.frozen if trouble == "frozen" else redis.stopped)
    await asyncio.sleep(0.5)  # for calls that were admitted before
    before = len(running.ledger)
    await asyncio.sleep(AWAY)
    executed = Counter(line.split()[0] for line in running.ledger[before:])
    await asyncio.to_thread(redis.restored)
    return executed


@pytest.mark.parametrize("trouble", ["frozen", "restarted", "slow"])
async def test_trouble_of_redis_stops_keys_limits_and_confirmations_and_nothing_else(
    running: Deployment, trouble: str
) -> None:
    (running.folder / "ledger").write_text("")

    load, others = Load(running.url, 1000, tools=SHARED), Load(running.url, 10**6, tools=("look",))
    work, look = asyncio.create_task(load.run()), asyncio.create_task(others.run(modern=2, legacy=2))
    while load.tally.sent < 300:
        await asyncio.sleep(0.02)
    executed = await trouble_redis(running, trouble)
    await work
    others.calls = others.tally.sent
    assert set((await look).ended.values()) == {"answered"}
    tally, executed = load.tally, executed

    assert faults_of(tally, running.ledger) == []
    assert Counter(tally.ended.values())["answered"] >= 0.98 * 1000, tally.events
    if trouble != "slow":
        assert not any(executed[tool] for tool in SHARED), executed
        assert executed["look"] > 20
