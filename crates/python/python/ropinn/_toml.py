"""Python values as TOML: what a problem file says, written so that messages can point at it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from ._errors import ProblemError

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


def document(sections: Mapping[str, Any]) -> str:
    """A whole document: plain values first, then a section for each table, and one for each entry of a list of tables."""
    # Coordinates belong with the plain values: the first lines say what the problem is about.
    plain = {key: entry for key, entry in sections.items() if key == "coordinates" or not _is_section(entry)}
    lines = [f"{name(key)} = {value(entry, key)}" for key, entry in plain.items()]
    for key, entry in sections.items():
        if key in plain:
            continue
        if isinstance(entry, Mapping):
            lines += ["", f"[{name(key)}]", *_lines(entry)]
        else:
            for table in entry:
                lines += ["", f"[[{name(key)}]]", *_lines(table)]
    return "\n".join(lines) + "\n"


def value(given: Any, key: str) -> str:
    """One value on one line."""
    if isinstance(given, (bool, np.bool_)):
        return "true" if given else "false"
    if isinstance(given, (int, np.integer)):
        return str(int(given))
    if isinstance(given, (float, np.floating)):
        return repr(float(given))
    if isinstance(given, str):
        return quoted(given)
    if isinstance(given, Mapping):
        return "{ " + ", ".join(f"{name(k)} = {value(v, k)}" for k, v in given.items()) + " }" if given else "{}"
    if isinstance(given, np.ndarray):
        return value(given.tolist(), key)
    if isinstance(given, (list, tuple, range)):
        return "[" + ", ".join(value(entry, key) for entry in given) + "]"
    raise ProblemError(f"`{key}` cannot be said in a problem: {given!r} is a {type(given).__name__}")


def name(key: Any) -> str:
    """A key, in quotes if it needs them."""
    if not isinstance(key, str):
        raise ProblemError(f"names must be texts, found {key!r}")
    return key if _BARE.fullmatch(key) else quoted(key)


def quoted(text: str) -> str:
    """A text, letter by letter where that is possible: only then a message can point into it."""
    if not _CONTROL.search(text):
        if '"' not in text and "\\" not in text:
            return f'"{text}"'
        if "'" not in text:
            return f"'{text}'"
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + _CONTROL.sub(lambda c: f"\\u{ord(c.group()):04x}", escaped) + '"'


def _is_section(given: Any) -> bool:
    is_list = isinstance(given, (list, tuple)) and len(given) > 0 and all(isinstance(entry, Mapping) for entry in given)
    return isinstance(given, Mapping) or is_list


def _lines(table: Mapping[str, Any]) -> list[str]:
    return [f"{name(key)} = {value(entry, key)}" for key, entry in table.items()]
