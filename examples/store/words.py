"""Words for people and models."""


def count(number: int, noun: str) -> str:
    """`1 file`, `2 files`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def is_unicode(text: str) -> bool:
    """Whether the text can be written as UTF-8: no half of a surrogate pair is in it."""
    return not any("\ud800" <= character <= "\udfff" for character in text)
