"""Keywords that several calls share: names are checked, settings are put as the command line takes them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from . import _ropinn, _toml
from ._errors import OptionError

Settings = Mapping[str, Any]


def refuse_unknown(call: str, unknown: Mapping[str, Any], known: Iterable[str]) -> None:
    """Refuses keywords that mean nothing, with the nearest that does."""
    for name in unknown:
        names = list(known)
        near = _ropinn.nearest(name, names)
        hint = f" (did you mean `{near}`?)" if near else ""
        raise OptionError(f"unknown option `{name}` of {call}{hint}; its options are: {', '.join(names)}")


def settings(given: Settings | None) -> list[str]:
    """Settings of config.toml as `key=value`."""
    if given is None:
        return []
    if not isinstance(given, Mapping):
        raise OptionError(f'set must be a dictionary such as {{"region.r": 1e-5}}, found {given!r}')
    return [f"{key}={value if isinstance(value, str) else _toml.value(value, key)}" for key, value in given.items()]


def given(**options: Any) -> dict[str, Any]:
    """What is given of some options, numbers of NumPy as Python's own."""
    plain = {key: value.item() if isinstance(value, np.generic) else value for key, value in options.items()}
    for key in ("out", "init_from"):
        if plain.get(key) is not None and not isinstance(plain[key], (str, os.PathLike)):
            plain[key] = getattr(plain[key], "weights_path", plain[key])
    if isinstance(plain.get("seeds"), (range, np.ndarray, tuple)):
        plain["seeds"] = [int(seed) for seed in plain["seeds"]]
    return {key: value for key, value in plain.items() if value is not None}
