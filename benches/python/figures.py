"""The figures of docs/python.md, measured: each with what is wanted, and marked where it is missed.

The rivals take turns, and the best of their rounds counts: what else runs on the machine only ever makes them slower.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import torch

import ropinn

POINTS = 1_000_000
ROUNDS = 7


def main() -> None:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--ropinn", required=True, help="the command line")
    arguments.add_argument("--predictions", required=True, help="the example of that name")
    arguments.add_argument("--install", type=Path, help="a file with the seconds of a cold installation")
    arguments.add_argument("--threads", type=int, default=os.cpu_count())
    given = arguments.parse_args()
    print(
        f"{processor()}, {given.threads} threads, Python {platform.python_version()}, NumPy {np.__version__}, PyTorch {torch.__version__}\n"
    )
    print(f"{'figure':<64} {'measured':>16} {'wanted':>10}")
    predictions(given.ropinn, given.predictions, given.threads)
    gradients(given.ropinn, given.threads)
    imports()
    if given.install is not None and given.install.is_file():
        line("cold pip install from the checkout", float(given.install.read_text()), 240, "{:.0f} s")
    size = sum(file.stat().st_size for file in Path(ropinn.__file__).parent.rglob("*.so")) / 2**20
    print(f"{'size of the compiled module, before compression':<64} {size:>13.1f} MB")


def line(name: str, measured: float, wanted: float, form: str = "{:.2f}") -> None:
    word = "" if measured <= wanted else "  MISSED"
    print(f"{name:<64} {form.format(measured):>16} {'≤ ' + form.format(wanted):>10}{word}")


def timed(work) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def predictions(cli: str, example: str, threads: int) -> None:
    """A tanh network of 64 × 3 at a million points, in the precision PyTorch has too.

    The command line's own time is taken twice: all that `ropinn predict` does, and the evaluation alone, without files.
    """
    options = {"model": "pinn", "width": 64, "depth": 3, "precision": "f32", "optimizer": "adam 1", "threads": threads}
    solution = ropinn.solve("wave", set={"model.normalise": False}, progress=False, **options)
    x, t = np.random.default_rng(0).random((2, POINTS))
    network = torch_network(solution.weights)
    torch.set_num_threads(threads)
    inputs = torch.from_numpy(np.stack([x, t], axis=1).astype(np.float32))

    @torch.no_grad()
    def forward():
        return network(inputs)

    with tempfile.TemporaryDirectory() as here:
        run = solution.save(f"{here}/run")
        np.savetxt(f"{here}/points.csv", np.stack([x, t], axis=1), delimiter=",", header="x,t", comments="", fmt="%.17g")
        words = [
            cli,
            "predict",
            run,
            "--points",
            f"{here}/points.csv",
            "--out",
            f"{here}/out.csv",
            "--overwrite",
            "--threads",
            str(threads),
        ]
        command = min(timed(lambda: subprocess.run(words, check=True)) for _ in range(3))
        own = np.loadtxt(f"{here}/out.csv", delimiter=",", skiprows=1, usecols=2, max_rows=1000)
    values = solution(x, t)
    assert np.array_equal(own, values[:1000]), "the command line predicts something else"
    assert np.allclose(values, forward()[:, 0].numpy(), atol=1e-5), "PyTorch computes something else"

    def bare() -> float:
        said = subprocess.run([example, str(POINTS), str(threads)], check=True, capture_output=True, text=True).stdout
        return 1e-3 * float(said.split()[0])

    rounds = [(timed(lambda: solution(x, t)), timed(forward), bare()) for _ in range(ROUNDS)]
    ours, theirs, evaluation = (min(column) for column in zip(*rounds))
    print(f"{'solution(x, t) at 1e6 points, pinn 64 × 3, f32':<64} {ours * 1e3:>13.0f} ms")
    print(f"{'  ropinn predict on a CSV of them, all in all':<64} {command * 1e3:>13.0f} ms")
    print(f"{'  its evaluation alone, without files':<64} {evaluation * 1e3:>13.0f} ms")
    print(f"{'  PyTorch, forward pass alone':<64} {theirs * 1e3:>13.0f} ms")
    line("  over the command line", ours / command, 1.3)
    line("  over its evaluation alone", ours / evaluation, 1.3)
    line("  over PyTorch", ours / theirs, 0.5)


def torch_network(weights: dict[str, np.ndarray]) -> torch.nn.Module:
    layers: list[torch.nn.Module] = []
    places = sorted({int(name.split(".")[1]) for name in weights})
    for place in places:
        weight = weights[f"linear.{place}.weight"]
        layer = torch.nn.Linear(weight.shape[1], weight.shape[0])
        layer.weight.data = torch.from_numpy(weight.astype(np.float32))
        layer.bias.data = torch.from_numpy(weights[f"linear.{place}.bias"].astype(np.float32))
        layers += [layer, torch.nn.Tanh()]
    return torch.nn.Sequential(*layers[:-1])


def gradients(cli: str, threads: int) -> None:
    """Loss and gradient of the wave equation at 10,201 points, beside `ropinn perf`, which measures the same in Rust."""
    problem = ropinn.Problem(
        name="bare", coordinates={"x": (0, 1), "t": (0, 1)}, time="t", unknowns=["u"], equations={"wave": "u_tt - 4*u_xx"}
    )
    settings = {"model.normalise": False, "points.interior": "grid:101x101"}
    objective = ropinn.Objective(problem, "pinn", width=64, depth=3, precision="f32", set=settings, threads=threads)
    assert objective.residual_count == 10_201
    theta = objective.initial()
    repeats = 200
    with tempfile.TemporaryDirectory() as here:
        file = problem.save(f"{here}/bare.toml")
        words = [
            cli,
            "perf",
            "--problem",
            os.fspath(file),
            "--model",
            "pinn",
            "--width",
            "64",
            "--depth",
            "3",
            "--points",
            "10201",
        ]
        words += ["--threads", str(threads), "--repeat", str(repeats), "--json"]
        rounds = []
        for _ in range(ROUNDS):
            rust = json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)
            assert rust["parameters"] == objective.parameters
            ours = statistics.median(timed(lambda: objective.value_and_grad(theta)) * 1e3 for _ in range(repeats))
            rounds.append((rust["median_ms"], ours))
    rust, ours = (min(column) for column in zip(*rounds))
    print(f"{'value_and_grad, pinn 64 × 3, 10,201 points, f32':<64} {ours:>13.2f} ms")
    print(f"{'  the same in Rust (ropinn perf)':<64} {rust:>13.2f} ms")
    line("  over Rust, the best of the rounds' medians", ours / rust, 1.03, "{:.3f}")


def imports() -> None:
    def seconds(module: str) -> float:
        text = f"import time; began = time.perf_counter(); import {module}; print(time.perf_counter() - began)"
        said = [subprocess.run([sys.executable, "-c", text], check=True, capture_output=True, text=True).stdout for _ in range(9)]
        return 1e3 * min(map(float, said))

    ours, numpy = seconds("ropinn"), seconds("numpy")
    print(f"{'import numpy alone':<64} {numpy:>13.0f} ms")
    line("import ropinn, NumPy included", ours, 150, "{:.0f} ms")


def processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        return next(line.split(":")[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or "unknown processor"


if __name__ == "__main__":
    main()
