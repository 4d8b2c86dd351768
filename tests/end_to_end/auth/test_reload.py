"""SIGHUP: a server over HTTP reads bearer tokens and keys again, and goes on."""

from __future__ import annotations

import asyncio
import base64
import os
import signal
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp import Client
from mcp_types import ElicitResult

from tests.end_to_end.project import Project
from tests.end_to_end.purchase_tool import shop_of

pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="there is no SIGHUP")

OLD, NEW = "old-token-with-twenty-characters", "new-token-with-twenty-characters"
ONE, TWO = (base64.urlsafe_b64encode(letter * 32).decode() for letter in (b"1", b"2"))


@pytest.fixture(autouse=True)
def default_hangup() -> Any:
    """Under nohup, the server would ignore the signal, too."""
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGHUP, before)


def write(file: Path, text: str) -> None:
    """Replace a file as an operator does, whole."""
    new = file.with_suffix(".new")
    new.write_text(text)
    new.chmod(0o600)
    new.replace(file)


def tokens(*names: str) -> str:
    return "".join(f'[[tokens]]\nprincipal = "{name[:3]}"\ntoken = "{name}"\n' for name in names)


async def status(url: str, token: str) -> int:
    """Return the status of a request with a token; 400 is that of one that was authenticated."""
    async with httpx2.AsyncClient() as client:
        return (
            await client.post(url, headers={"authorization": f"Bearer {token}"}, content=b"{}")
        ).status_code


async def reloaded(server: Any, times: int = 1) -> None:
    server.process.send_signal(signal.SIGHUP)
    while server.log.count("reloaded") < times:
        await asyncio.sleep(0.05)


async def test_tokens_are_read_again_and_a_broken_file_changes_nothing(project: Project) -> None:
    project.generate()
    file = project.root / "tokens.toml"
    write(file, tokens(OLD))

    async with (
        asyncio.timeout(90),
        project.server("--auth-tokens", str(file), preloaded=False) as server,
    ):
        assert await status(server.url, OLD) != 401
        assert await status(server.url, NEW) == 401
        write(file, tokens(NEW))
        await reloaded(server)
        assert await status(server.url, OLD) == 401
        assert await status(server.url, NEW) != 401
        write(file, "broken")
        await reloaded(server, 2)
        assert "tokens and keys were not reloaded: --auth-tokens:" in server.log
        assert await status(server.url, NEW) != 401


async def test_a_key_is_rotated_while_a_user_is_asked(project: Project, tmp_path: Path) -> None:
    shop = shop_of(project)
    file = tmp_path / "key"
    write(file, ONE)
    env = {"TOOLGEN_CONFIRMATION_KEY_FILE": str(file), "TOOLGEN_CONFIRMATION_STORE": "memory"}

    async with asyncio.timeout(90), project.server(preloaded=False, **env) as server:

        async def rotate_and_agree(context: Any, params: Any) -> ElicitResult:
            write(file, f"{TWO},{ONE}")
            await reloaded(server)
            return ElicitResult(action="accept", content={"confirm": True})

        async with Client(server.url, mode="auto", elicitation_callback=rotate_and_agree) as client:
            assert not (await client.call_tool("buy", {"what": "cup"})).is_error
    assert len(shop.bought) == 1


@pytest.mark.parametrize(
    ("prepare", "fault"),
    [
        (lambda file: file.unlink(), "cannot read"),
        (lambda file: file.chmod(0o666), "others may write"),
        (lambda file: file.write_text(""), "is empty"),
        (lambda file: file.write_bytes(b"\xff"), "is not UTF-8"),
        (lambda file: (file.unlink(), os.mkfifo(file)), "not a regular file"),
    ],
)
def test_a_file_of_a_secret_that_cannot_be_used_is_refused(tmp_path: Path, prepare: Any, fault: str) -> None:
    from toolgen.runtime.settings import SettingError, Settings

    file = tmp_path / "key"
    write(file, ONE)
    prepare(file)
    with pytest.raises(SettingError, match=f"TOOLGEN_CONFIRMATION_KEY_FILE: .*{fault}"):
        Settings.from_environment({"TOOLGEN_CONFIRMATION_KEY_FILE": str(file)})
