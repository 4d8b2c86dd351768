"""Settings from environment variables."""

from __future__ import annotations

from pathlib import Path

import pytest
from toolgen.runtime.settings import SettingError, Settings, variable, variables

PAGE = """\
# Environment variables

A flag of `toolgen serve` and `python -m generated.mcp_server` comes before its variable; a name that is almost one of these is warned of. Secrets can be
[in files](limits-and-keys.md#secrets-in-files). In brackets: what counts without the variable. `toolgen help settings` prints this list.

| variable, flag | meaning |
|---|---|
"""


def test_each_setting_is_read_from_its_variable() -> None:
    environ = {"TOOLGEN_THREADS": "4", "TOOLGEN_GRACE": "2.5", "TOOLGEN_SCOPES": "a:read, b:write a:read"}
    settings = Settings.from_environment(environ)
    assert (settings.threads, settings.grace, settings.scopes) == (4, 2.5, ("a:read", "b:write"))
    named = Settings.from_environment({"TOOLGEN_ALLOWED_HOSTS": "A.example, [::1]:80,a.example b:*"})
    assert named.allowed_hosts == ("a.example", "[::1]:80", "b:*")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        *(("threads", "0"), ("threads", "many"), ("grace", "-1"), ("grace", "nan"), ("log_format", "xml")),
        *(
            ("allowed_hosts", text)
            for text in ("*", "*.corp.example", "https://a.example", "a/", ",a", "::1")
        ),
        *(
            ("allowed_origins", text)
            for text in ("*", "null", "a.example", "https://a/", "https://a:443", " ")
        ),
    ],
)
def test_an_invalid_value_is_refused_with_the_name_of_its_variable(name: str, text: str) -> None:
    with pytest.raises(SettingError, match=variable(name)):
        Settings.from_environment({variable(name): text})


def test_the_page_has_every_variable(record: bool) -> None:
    """`pytest --record` writes it."""
    page = Path(__file__).parents[2] / "docs" / "environment.md"
    rows = (
        f"| `{each.name}`{f' `{each.flag}`' * bool(each.flag)} | {each.about}{f' [{each.default}]' * bool(each.default)} |\n"
        for each in variables()
    )
    text = PAGE + "".join(rows)
    if record:
        page.write_text(text, encoding="utf-8", newline="\n")
    assert page.read_text(encoding="utf-8") == text
