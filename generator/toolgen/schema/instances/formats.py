"""Valid and invalid texts for each format of JSON Schema that the validator asserts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

VALID: Final[Mapping[str, tuple[str, ...]]] = {
    "date": ("2026-02-28", "2024-02-29", "0001-01-01", "9999-12-31"),
    "date-time": ("2026-01-02T03:04:05Z", "2026-01-02T03:04:05.123456789+05:30", "2026-01-02t03:04:05z"),
    "time": ("03:04:05Z", "23:59:59.5-08:00", "00:00:00+00:00"),
    "duration": ("P1DT2H", "PT0S", "P3W", "P1Y2M3DT4H5M6S"),
    "email": ("ada@example.com", "Joe.Bloggs@Example.COM", "a+b@c.example", '"a b"@example.com'),
    "idn-email": ("ada@example.com", "실례@실례.테스트"),
    "hostname": ("www.example.com", "a", "xn--4gbwdl.xn--wgbh1c", "a-1.example"),
    "idn-hostname": ("example.com", "실례.테스트"),
    "ipv4": ("192.0.2.1", "10.0.0.1", "255.255.255.255"),
    "ipv6": ("2001:db8::1", "::1", "2001:DB8::ff00:42:8329", "::ffff:192.0.2.1", "::"),
    "uri": (
        "https://example.com/a?b=c#d",
        "http://example.com/%7Efoo",
        "urn:isbn:0451450523",
        "mailto:A@b.c",
    ),
    "uri-reference": ("/abc?d", "#x", "../a", "", "https://example.com"),
    "iri": ("https://example.com", "http://ƒøø.ßår/?∂éœ=πîx#πîüx"),
    "iri-reference": ("/a", "/ƒøø", "", "https://example.com"),
    "uuid": ("2eb8aa08-aa98-11ea-b4aa-73b441d16380", "2EB8AA08-AA98-11EA-B4AA-73B441D16380"),
    "uri-template": ("http://example.com/{term:1}/{?q*}", "/a", ""),
    "json-pointer": ("/foo/bar~0/baz~1/%a", "", "/"),
    "relative-json-pointer": ("1/a", "0#", "0"),
    "regex": ("^[a-z]+$", "(?<n>x)", ""),
}

INVALID: Final[Mapping[str, tuple[str, ...]]] = {
    "date": ("2026-02-30", "26-02-28", "2026/02/28", ""),
    "date-time": ("2026-01-02 03:04", "2026-13-02T03:04:05Z", "2026-01-02T03:04:05", ""),
    "time": ("25:00:00Z", "03:04", "03:04:05"),
    "duration": ("P", "1D", "PT1D", ""),
    "email": ("ada", "@example.com", "ada@", ""),
    "idn-email": ("ada", "@example.com", ""),
    "hostname": ("-a.example", "a_b", "a..b", "a" * 64),
    "idn-hostname": ("-a.example", "〮실례", "a..b"),
    "ipv4": ("256.0.0.1", "1.2.3", "01.2.3.4", ""),
    "ipv6": ("1::2::3", "12345::", ":::", ""),
    "uri": ("/relative", "a b", "https://exa mple.com", ""),
    "uri-reference": ("\\a", "a b", "%zz"),
    "iri": ("/relative", "a b", ""),
    "iri-reference": ("\\a", "a b"),
    "uuid": ("2eb8aa08-aa98-11ea-b4aa-73b441d1638", "2eb8aa08aa9811eab4aa73b441d16380", ""),
    "uri-template": ("/{", "{a", "}"),
    "json-pointer": ("a", "/~2", "#"),
    "relative-json-pointer": ("/a", "-1", ""),
    "regex": ("(", "[a", "*"),
}
