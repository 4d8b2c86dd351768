"""Settings for confirmations: keys, stores, expiry."""

from __future__ import annotations

import pytest
from toolgen.runtime.settings import Settings

from tests.end_to_end.project import Project, error_code
from tests.end_to_end.purchase_tool import log_of, shop_of
from tests.end_to_end.replicas import KEY, free_port

BLOCKED = "import sys; sys.modules['cryptography'] = None; "
PENDING = """
import asyncio, json, sys
from generated import catalog
from toolgen.runtime import ConfirmationPending

async def later(asked):
    raise ConfirmationPending(asked)

async def main(token, price):
    toolkit = catalog.toolkit()
    if price:
        open("price.txt", "w").write(price)
    try:
        response = await toolkit.call(
            "buy", {"what": "chains"}, confirmation_token=token or None, confirm=None if token else later,
            principal="ann",
        )
        confirmation = response.metadata.get("confirmation", {})
        print(json.dumps([response.success, response.error and response.error.code, confirmation.get("token")]))
    except ConfirmationPending as pending:
        print(pending.token)

asyncio.run(main(*sys.argv[1:]))
"""


@pytest.mark.parametrize(
    ("key", "store", "words"),
    [
        ("short", "memory", "must be 32 bytes in URL-safe base64"),
        (KEY, "", "TOOLGEN_CONFIRMATION_KEY needs TOOLGEN_CONFIRMATION_STORE"),
        (KEY, "mysql://root:hidden@host", "must be memory, sqlite:///path or redis://host:port"),
        (KEY, "sqlite:////nowhere/at/all.db", "unable to open database file"),
    ],
)
def test_a_server_with_an_invalid_key_or_store_refuses_to_start(
    project: Project, key: str, store: str, words: str
) -> None:
    project.generate()
    env = {"TOOLGEN_CONFIRMATION_KEY": key, "TOOLGEN_CONFIRMATION_STORE": store}
    done = project.python("-m", "generated.mcp_server", **env)
    assert done.returncode == 2
    assert words in done.stderr
    assert "Traceback" not in done.stderr
    assert key not in done.stderr
    assert "hidden" not in done.stderr


def test_without_cryptography_there_are_no_tokens_and_a_key_is_refused(project: Project) -> None:
    shop = shop_of(project, on_unsupported="two_step")
    steps = """
import asyncio
from generated import catalog
from toolgen.runtime import ConfirmationPending
async def later(asked):
    raise ConfirmationPending(asked)
async def main():
    toolkit = catalog.toolkit()
    for options in ({}, {"confirmation_token": "x"}):
        first = await toolkit.call("buy", {"what": "x"}, **options)
        print(first.error.code, "confirmation" in first.metadata)
    try:
        await toolkit.call("buy", {"what": "x"}, confirm=later)
    except ConfirmationPending as pending:
        print(pending.token)
    print((await toolkit.call("buy", {"what": "x"}, confirm=lambda asked: True)).success)
asyncio.run(main())
"""
    done = project.python("-c", BLOCKED + steps, preloaded=False)
    assert done.stdout == "confirmation_required False\n" * 2 + "None\nTrue\n", done.stderr
    assert done.stderr.count("pip install 'toolgen[confirm]'") == 1
    assert shop.bought == ["498.00"]
    env = {"TOOLGEN_CONFIRMATION_KEY": KEY, "TOOLGEN_CONFIRMATION_STORE": "memory"}
    call = "import sys; from toolgen.cli import main; sys.exit(main(['call', 'buy', '--input', '{\"what\": \"x\"}', '--yes']))"
    refused = project.python("-c", BLOCKED + call, preloaded=False, **env)
    assert refused.returncode == 2
    assert (
        "TOOLGEN_CONFIRMATION_KEY needs the package cryptography: pip install 'toolgen[confirm]'"
        in refused.stderr
    )


def test_a_pending_confirmation_does_not_survive_a_change(project: Project) -> None:
    shop = shop_of(project)
    rotated = {"TOOLGEN_CONFIRMATION_KEY": "QUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUE," + KEY}
    env = {"TOOLGEN_CONFIRMATION_KEY": KEY, "TOOLGEN_CONFIRMATION_STORE": f"sqlite:///{project.root}/c.db"}
    token = project.python("-c", PENDING, "", "", **env).stdout.strip()
    changed = project.python("-c", PENDING, token, "49800.00", **{**env, **rotated})
    assert changed.stdout == '[false, "changed_since_confirmed", null]\n', changed.stderr
    fresh = project.python("-c", PENDING, "", "", **env).stdout.strip()
    assert project.python("-c", PENDING, fresh, "", **{**env, **rotated}).stdout == "[true, null, null]\n"
    assert shop.bought == ["49800.00"]


async def test_a_store_that_fails_confirms_nothing(project: Project) -> None:
    shop = shop_of(project, on_unsupported="two_step")
    gone = f"redis://127.0.0.1:{free_port()}/0"

    env = {"TOOLGEN_CONFIRMATION_KEY": KEY, "TOOLGEN_CONFIRMATION_STORE": gone}
    async with project.server(**env) as server, server.client("auto") as client:
        first = await client.call_tool("buy", {"what": "x"})
        meta = {"toolgen/confirmation_token": first.meta["toolgen/confirmation"]["token"]}
        second = await client.call_tool("buy", {"what": "x"}, meta=meta)  # type: ignore[arg-type]
        assert error_code(second) == "confirmation_required"
    assert shop.bought == []
    assert "is not confirmed: Redis: " in log_of(project.root)


def test_settings_do_not_show_their_secrets() -> None:
    shown = repr(Settings(confirmation_key="hidden"))
    assert "threads" in shown
    assert "hidden" not in shown
