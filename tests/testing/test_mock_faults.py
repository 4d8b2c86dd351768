"""Faults of a mock: latency, and errors for a share of the calls or for one call."""

from __future__ import annotations

import asyncio
from pathlib import Path
from time import perf_counter
from typing import Any

import pytest
from toolgen.runtime.errors import RUNTIME_ERRORS
from toolgen.testing import mock_toolkit

from tests.runtime.tool_factory import code_of
from tests.testing.mock_samples import ORDER, call, how, write_specs

BELL = {"article": "bell"}


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    return write_specs(tmp_path / "shop", order=ORDER)


def asking(**controls: Any) -> dict[str, Any]:
    return {"toolgen/mock": controls}


def codes(folder: Path, calls: int, **mock: Any) -> list[str | None]:
    async def run() -> list[str | None]:
        toolkit = mock_toolkit(folder, **mock)
        return [code_of(await toolkit.call("order", BELL)) for _ in range(calls)]

    return asyncio.run(run())


@pytest.mark.parametrize("code", [*(each.code for each in RUNTIME_ERRORS), "out_of_stock"])
def test_every_code_can_be_provoked(shop: Path, code: str) -> None:
    response = call(shop, "order", BELL, meta=asking(fail=code))
    assert code_of(response) == code
    assert how(response) == {"provoked": code}


def test_a_share_of_the_calls_fails_always_the_same_ones(shop: Path) -> None:
    fail = {"timeout": 0.2, "out_of_stock": 0.3}
    first = codes(shop, 200, fail=fail)
    assert first == codes(shop, 200, fail=fail)
    assert 20 <= first.count("timeout") <= 60
    assert 40 <= first.count("out_of_stock") <= 80
    assert codes(shop, 200, fail=fail, seed=1) != first
    assert codes(shop, 20, fail={"timeout": 1.0}) == ["timeout"] * 20


@pytest.mark.parametrize(
    ("mock", "message"),
    [
        ({"fail": {"out_of_stok": 0.1}}, "did you mean 'out_of_stock'"),
        ({"fail": {"timeout": 1.5}}, "the rate of timeout must be a number from 0 to 1"),
        ({"latency": float("nan")}, "latency must be a number of seconds"),
    ],
)
def test_faults_that_cannot_be_are_refused(shop: Path, mock: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        mock_toolkit(shop, **mock)


@pytest.mark.parametrize(
    ("controls", "message"),
    [
        ({"fail": "nonsense"}, "$.fail: expected one of"),
        ({"fial": "timeout"}, 'did you mean "fail"'),
    ],
)
def test_metadata_that_is_not_understood_is_refused(shop: Path, controls: Any, message: str) -> None:
    response = call(shop, "order", BELL, meta={"toolgen/mock": controls})
    assert response.error is not None
    assert response.error.code == "invalid_request"
    assert message in response.error.message


def test_one_call_can_choose_its_example(shop: Path) -> None:
    assert call(shop, "order", BELL, meta=asking(example="brakes")).content["number"] == 7
    made_up = call(shop, "order", {"article": "saddle"}, meta=asking(made_up=True))
    assert how(made_up) == {"made_up": True}


def test_latency_delays_answers_and_can_exceed_the_time_limit(shop: Path, tmp_path: Path) -> None:
    began = perf_counter()
    assert call(shop, "order", BELL, mock={"latency": 0.02}).success
    assert perf_counter() - began >= 0.02
    limited = write_specs(tmp_path / "limited", order=f"{ORDER}timeout: 0.05\n")
    late = call(limited, "order", BELL, meta=asking(latency=60))
    assert (code_of(late), how(late)) == ("timeout", None)
