"""Reads a run of random features, or a polished one, into PyTorch, and compares with the predictions of the run.

    ropinn solve reaction --out run
    benches/peers/features_in_torch.py run

u = N(x) + C [σ(W z + b), tanh(V h(x) + d)]: z are the coordinates in [-1, 1] (a periodic one is its sine and cosine), h the last
hidden layer of the network N. Patches, second frozen layers and exact conditions are left out here.
"""

import csv
import math
import sys
import tomllib
from pathlib import Path

import torch
from safetensors.torch import load_file

ACTIVATIONS = {"sin": torch.sin, "tanh": torch.tanh, "gaussian": lambda z: torch.exp(-z * z / 2)}


def number(value):
    """A number of a problem file, which may be a formula of pi."""
    return float(value) if not isinstance(value, str) else float(eval(value.replace("^", "**"), {"pi": math.pi}))


def inputs(problem, points):
    """The coordinates as networks see them, each in [-1, 1]."""
    names = list(problem["coordinates"])
    exact = {c.get("along") for c in problem["conditions"] if c["kind"] == "periodic" and c.get("exact", True)}
    columns = []
    for axis, name in enumerate(names):
        low, high = (number(end) for end in problem["coordinates"][name])
        x = points[:, axis]
        if name in exact:
            phase = 2 * math.pi * (x - low) / (high - low)
            columns += [torch.sin(phase), torch.cos(phase)]
        else:
            columns.append(2 * (x - low) / (high - low) - 1)
    return torch.stack(columns, dim=1)


def linear(weights, name, x):
    return x @ weights[f"{name}.weight"].T + weights[f"{name}.bias"]


def base(model, weights, x):
    """A tanh network, whose first layer is a sine if it is an `fls`; its output and its last hidden layer."""
    for layer in range(model["depth"]):
        x = linear(weights, f"linear.{2 * layer}", x)
        x = torch.sin(x) if model["kind"] == "fls" and layer == 0 else torch.tanh(x)
    return linear(weights, f"linear.{2 * model['depth']}", x), x


def predict(model, weights, z):
    phi = [ACTIVATIONS[model["activation"]](linear(weights, "features.coordinates", z))]
    u = 0
    if "base" in model:
        u, hidden = base(model["base"], weights, z)
        if model.get("hidden", 0):
            phi.append(torch.tanh(linear(weights, "features.hidden", hidden)))
    phi = torch.cat(phi, dim=1)
    # What is added up may be far larger than the sum, and rounding with it.
    size = (phi.abs() @ weights["features.out.weight"].abs().T).max().item()
    return u + linear(weights, "features.out", phi), size


def main():
    run = Path(sys.argv[1])
    solution = run / "solution.toml"
    config = tomllib.loads((solution if solution.exists() else run / "config.toml").read_text())
    problem = tomllib.loads(config["problem"]["source"])
    with (run / "prediction.csv").open() as file:
        head, *rows = csv.reader(file)
    table = torch.tensor([[float(cell) if cell else math.nan for cell in row] for row in rows], dtype=torch.float64)
    axes, unknowns = len(problem["coordinates"]), problem["unknowns"]
    wanted = torch.stack([table[:, head.index(name)] for name in unknowns], dim=1)
    weights = load_file(run / "model.safetensors")
    found, size = predict(config["model"], weights, inputs(problem, table[:, :axes]))
    worst, rounding = (found - wanted).abs().max().item(), 1e3 * torch.finfo(torch.float64).eps * max(size, 1.0)
    print(f"{len(rows)} points, largest difference {worst:.1e} (rounding may make {rounding:.1e})")
    sys.exit(worst > rounding)


if __name__ == "__main__":
    main()
