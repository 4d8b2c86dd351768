"""Settings from environment variables."""

from __future__ import annotations

import pytest
from toolgen.runtime.settings import SettingError, Settings, variable


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
