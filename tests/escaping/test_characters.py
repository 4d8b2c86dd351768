"""Which characters are escaped, by their Unicode properties, and which texts stay as they are."""

from __future__ import annotations

import json
import re
import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolgen.base.escaping.characters import INVISIBLE, MAX_MARKS, OVERLAYS, printable

ESCAPED = {
    "C0": "\x1b",
    "carriage return": "\r",
    "DEL": "\x7f",
    "C1": "\x9b",
    "bidirectional override": "\u202e",
    "bidirectional isolate": "\u2066",
    "right-to-left mark": "\u200f",
    "zero-width space": "\u200b",
    "byte order mark": "\ufeff",
    "no-break space": "\xa0",
    "line separator (Zl)": "\u2028",
    "paragraph separator (Zp)": "\u2029",
    "tag": "\U000e0041",
    "lone surrogate": "\ud800",
    "private use": "\ue000",
    "unassigned": "\U000e0080",
    "combining grapheme joiner": "\u034f",
    "Hangul filler": "\u3164",
    "variation selector 17": "\U000e0100",
    "stroke overlay": "\u0336",
    "enclosing circle": "\u20dd",
}
SHOWN = {
    "Latin": "Grüße, ça va? Łódź, naïve",
    "decomposed": "e\u0301 n\u0303",
    "decomposed Vietnamese": unicodedata.normalize("NFD", "Tiếng Việt"),
    "CJK": "東京 北京 서울",
    "Arabic": "مرحبا، كيف الحال؟",
    "Arabic with marks": "بِسْمِ ٱللَّهِ",
    "Persian, with non-joiners": "می\u200cخواهم",  # noqa: RUF001
    "Devanagari": "नमस्ते",
    "Devanagari with a joiner": "क्\u200dष",
    "emoji": "❤ 🚲 ✈ ⚠",
    "emoji with a selector": "❤\ufe0f ⚠\ufe0f ✈\ufe0e",
    "a family": "👨\u200d👩\u200d👧",
    "skin tone": "👩🏽\u200d💻",
    "flag": "🇪🇺",
    "punctuation": '2 €, C:\\new, "a" → b × 3 ≤ 4 — “x”…',  # noqa: RUF001
}


@pytest.mark.parametrize("char", ESCAPED.values(), ids=ESCAPED)
def test_a_character_that_hides_or_changes_text_is_escaped_as_in_json(char: str) -> None:
    shown = printable(f"a{char}b 1{char}00")
    assert char not in shown
    assert shown.isprintable()
    assert json.loads(f'"{shown}"') == f"a{char}b 1{char}00"


@pytest.mark.parametrize("text", SHOWN.values(), ids=SHOWN)
def test_legitimate_text_is_shown_as_it_is(text: str) -> None:
    assert printable(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "👨\u200d\u200d👩",  # the second joiner joins nothing
        "❤\ufe0f\ufe0f",
        "می\u200c",
        "می\u200dخ",  # they join without it
        "क\u200dष",  # no virama
        "\U0001f3f4\U000e0067\U000e007f",  # tags carry any text
    ],
)
def test_a_joiner_or_selector_that_nothing_needs_is_escaped(text: str) -> None:
    shown = printable(text)
    assert shown != text
    assert json.loads(f'"{shown}"') == text


def test_stacked_marks_are_escaped_from_the_fifth() -> None:
    assert printable("a" + "\u0301" * MAX_MARKS) == "a" + "\u0301" * MAX_MARKS
    assert printable("a" + "\u0301" * 6) == "a" + "\u0301" * MAX_MARKS + "\\u0301" * 2


@pytest.mark.parametrize("text", ["\u0301a", "x\n\u0301a", "\u093f"])
def test_a_mark_without_a_character_is_escaped(text: str) -> None:
    """It would be drawn on what stands before the text."""
    assert ("\\u0301" in printable(text, keep="\n")) == ("\u0301" in text)


def test_the_list_of_overlays_is_that_of_unicode() -> None:
    listed = re.compile(f"[{OVERLAYS}]")
    for char in map(chr, range(sys.maxunicode + 1)):
        is_drawn_over = unicodedata.combining(char) == 1 or unicodedata.category(char) == "Me"
        if char.isprintable():
            assert (listed.match(char) is not None) == is_drawn_over, hex(ord(char))


def test_the_list_of_invisible_characters_is_that_of_unicode() -> None:
    """Default_Ignorable_Code_Point of DerivedCoreProperties.txt, and two symbols that are blank."""
    ranges = [
        "34f",
        "115f-1160",
        "17b4-17b5",
        "180b-180d",
        "180f",
        "3164",
        "fe00-fe0f",
        "ffa0",
        "e0100-e01ef",
    ]
    ignorable = {int(code, 16) for code in ("2800", "1d159")}
    for first, _, last in (each.partition("-") for each in ranges):
        ignorable |= set(range(int(first, 16), int(last or first, 16) + 1))
    listed = re.compile(f"[{INVISIBLE}]")
    assert {code for code in range(sys.maxunicode + 1) if listed.match(chr(code))} == ignorable


TEXTS = st.text(st.sampled_from([*ESCAPED.values(), *"".join(SHOWN.values()), "\\", '"'])) | st.text()


@given(TEXTS)
def test_escaping_is_done_once_and_loses_nothing(text: str) -> None:
    shown = printable(text)
    assert printable(shown) == shown
    shown.encode()  # it can be sent
    assert not re.search(f"[{OVERLAYS}\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", shown)
    if "\\" not in text and '"' not in text:
        assert json.loads(f'"{shown}"') == json.loads(json.dumps(text))
