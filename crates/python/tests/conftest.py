"""What the tests share: the installed wheel, the command line of the same checkout, and a run that takes a second."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

import ropinn

ROOT = Path(__file__).resolve().parents[3]

#: A run small enough for a test.
SMALL = {
    "width": 8,
    "depth": 2,
    "iterations": 5,
    "set": {"points.interior": "grid:11x11", "points.evaluation": "grid:11x11"},
    "progress": False,
}
#: The same for the command line.
SMALL_FLAGS = [
    *("--width", "8", "--depth", "2", "--iterations", "5"),
    *("--set", "points.interior=grid:11x11", "--set", "points.evaluation=grid:11x11", "--quiet"),
]


@pytest.fixture(scope="session")
def cli():
    """Calls the command line: the binary that `cargo build` has made, or the one `ROPINN` names."""
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    places = [os.environ.get("ROPINN"), target / "debug" / "ropinn", target / "release" / "ropinn"]
    found = next((place for place in places if place and Path(place).is_file()), None)
    assert found, "there is no binary `ropinn`; run `cargo build -p ropinn-cli`, or name it in ROPINN"

    def call(*arguments, check=True, cwd=None):
        words = [os.fspath(found), *map(str, arguments)]
        return subprocess.run(words, check=check, capture_output=True, text=True, cwd=cwd)

    return call


@pytest.fixture(scope="session")
def wave():
    """A small run of the wave equation."""
    return ropinn.solve("wave", seed=0, **SMALL)


def heat(**more):
    """A problem of one's own with a closed form."""
    keywords = {
        "coordinates": {"x": (0, 1), "t": (0, 1)},
        "time": "t",
        "unknowns": ["u"],
        "equations": {"heat": "u_t - 0.1*u_xx"},
        "conditions": [ropinn.initial("sin(pi*x)"), ropinn.dirichlet("boundary", 0)],
        "reference": {"u": "exp(-0.1*pi^2*t)*sin(pi*x)"},
    }
    return ropinn.Problem(**{**keywords, **more})
