"""What every peer evaluates: one residual term, mean over N points of R(u)^2, and its gradient in the parameters.

The network is a tanh MLP in float32; weights and points come from one seed, so that all peers see the same numbers
and must report the same loss. A residual is a function of `d`, where d("") is u and d("xx") is u_xx. The other models of
models.py are evaluated by PyTorch alone.
"""

import argparse
import math
from dataclasses import dataclass
from typing import Callable

import numpy as np

PI = math.pi
MODELS = ("pinn", "qres", "kan", "pinnsformer")


@dataclass(frozen=True)
class Problem:
    """Named coordinates with their ranges, the derivatives the residual needs, and the residual."""

    box: dict[str, tuple[float, float]]
    derivatives: tuple[str, ...]
    residual: Callable

    @property
    def coordinates(self):
        return tuple(self.box)


PROBLEMS = {
    "reaction": Problem(
        {"x": (0.0, 2 * PI), "t": (0.0, 1.0)},
        ("t",),
        lambda d: d("t") - 5 * d("") * (1 - d("")),
    ),
    "convection": Problem(
        {"x": (0.0, 2 * PI), "t": (0.0, 1.0)},
        ("x", "t"),
        lambda d: d("t") + 50 * d("x"),
    ),
    "wave": Problem(
        {"x": (0.0, 1.0), "t": (0.0, 1.0)},
        ("xx", "tt"),
        lambda d: d("tt") - 4 * d("xx"),
    ),
    "burgers-1d": Problem(
        {"x": (-1.0, 1.0), "t": (0.0, 1.0)},
        ("xx", "t"),
        lambda d: d("t") + d("") * d("x") - (0.01 / PI) * d("xx"),
    ),
    "heat-2d": Problem(
        {"x": (0.0, 1.0), "y": (0.0, 1.0), "t": (0.0, 5.0)},
        ("xx", "yy", "t"),
        lambda d: d("t") - d("xx") / (500 * PI) ** 2 - d("yy") / PI**2,
    ),
    "kuramoto-sivashinsky": Problem(
        {"x": (0.0, 2 * PI), "t": (0.0, 1.0)},
        ("xxxx", "t"),
        lambda d: d("t") + 6.25 * d("") * d("x") + 0.390625 * d("xx") + 0.00152587890625 * d("xxxx"),
    ),
}


def derivative_chains(problem):
    """{"": u, "x": ..., "xx": ...}: each needed derivative with all its prefixes, shorter ones first."""
    needed = {name[:order] for name in problem.derivatives for order in range(len(name) + 1)}
    return sorted(needed, key=lambda name: (len(name), name))


def points(problem, count):
    """{coordinate: (count, 1) float32}, uniform in the box."""
    rng = np.random.default_rng(0)
    return {name: rng.uniform(low, high, (count, 1)).astype(np.float32) for name, (low, high) in problem.box.items()}


def weights(problem, width, depth):
    """[(W (out, in), b (out)), ...] for `depth` hidden layers: Xavier uniform and 0.01, as the official code starts."""
    rng = np.random.default_rng(1)
    sizes = [len(problem.box), *[width] * depth, 1]
    layers = []
    for n_in, n_out in zip(sizes[:-1], sizes[1:]):
        bound = math.sqrt(6 / (n_in + n_out))
        matrix = rng.uniform(-bound, bound, (n_out, n_in)).astype(np.float32)
        layers.append((matrix, np.full(n_out, 0.01, dtype=np.float32)))
    return layers


def arguments(description, models=("pinn",)):
    """The options the peers share with `ropinn perf`."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--problem", choices=PROBLEMS, default="reaction")
    parser.add_argument("--model", choices=models, default="pinn")
    parser.add_argument("--width", type=int, default=512, help="units per hidden layer; the embedding of pinnsformer")
    parser.add_argument("--depth", type=int, default=3, help="hidden layers")
    parser.add_argument("--points", type=int, default=10201)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--repeat", type=int, default=10, help="timed evaluations; of slow ones fewer")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    return parser
