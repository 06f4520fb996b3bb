"""Golden optimiser trajectories: PyTorch in float64 -> crates/{optim,pinn}/tests/golden/*.json.

    benches/peers/.venv/bin/python benches/peers/golden_lbfgs.py

Each problem is a closed form that crates/optim/tests/problems/mod.rs codes again by hand, with its gradient; the last is a
real PINN, whose loss crates/pinn has to find by itself. A file holds
the start, and for every run the parameters after each optimizer.step, the loss the step returned (its first evaluation)
and the number of evaluations so far.

The reference is PyTorch 1.13, the version of the published experiments, whose line search always had 25 interpolations.
Recent versions pass max_ls = (evaluations left in this call) instead; `search_as_in_1_13` drops that argument, the only
difference that reaches these runs.
"""

import json
import math
import random
from pathlib import Path

import torch
import torch.optim.lbfgs as torch_lbfgs

from losses import reaction
from models import pinn

CRATES = Path(__file__).resolve().parents[2] / "crates"
OUT, OUT_PINN = (CRATES / crate / "tests" / "golden" for crate in ("optim", "pinn"))
torch.set_default_dtype(torch.float64)
torch.set_num_threads(1)

current_search = torch_lbfgs._strong_wolfe


def search_as_in_1_13(*arguments, max_ls=None):
    return current_search(*arguments)


torch_lbfgs._strong_wolfe = search_as_in_1_13


def rosenbrock(theta, call):
    a, b = theta[:-1], theta[1:]
    return (100 * (b - a**2) ** 2 + (1 - a) ** 2).sum()


def quadratic(theta, call):
    """Condition number 1e4, coupled by neighbour differences."""
    n = theta.numel()
    i = torch.arange(n)
    weight = 10.0 ** (4.0 * i / (n - 1))
    target = torch.cos(i.double())
    return 0.5 * (weight * (theta - target) ** 2).sum() + 0.5 * ((theta[1:] - theta[:-1]) ** 2).sum()


def drifting_bowl(theta, call):
    """A new function at every evaluation, as with resampled points: the minimum wanders with the call counter."""
    i = torch.arange(theta.numel()).double()
    target = 0.05 * torch.sin(1.7 * call + i)
    return 0.5 * ((1 + i) * (theta - target) ** 2).sum() + 0.1 * torch.cos(theta).sum()


def tanh_net(theta, call):
    """Mean square misfit of a 1-8-1 tanh network with sin(3x) exp(-x) at 21 points of [-1, 1]."""
    w, b, v, c = theta[:8], theta[8:16], theta[16:24], theta[24]
    x = -1 + 0.1 * torch.arange(21).double()
    u = torch.tanh(x[:, None] * w + b) @ v + c
    return ((u - torch.sin(3 * x) * torch.exp(-x)) ** 2).mean()


NETWORK = pinn(width=6, depth=1)


def reaction_pinn(theta, call):
    """The benchmark `reaction` on a 6x6 grid with a 2-6-1 tanh network; theta in the order of its named_parameters()."""
    shapes = {name: p.shape for name, p in NETWORK.named_parameters()}
    parts = theta.split([shape.numel() for shape in shapes.values()])
    tensors = {name: part.view(shape) for (name, shape), part in zip(shapes.items(), parts)}
    return sum(reaction(lambda x, t: torch.func.functional_call(NETWORK, tensors, (x, t)), 6).values())


def wave_start(n):
    return [round(0.8 * math.sin(1.3 * i + 0.4), 6) for i in range(n)]


def run(problem, start, make_optimizer, steps):
    theta = torch.tensor(start, requires_grad=True)
    optimizer = make_optimizer([theta])
    calls, record = 0, {"theta": [], "first_loss": [], "evaluations": []}

    def closure():
        nonlocal calls
        optimizer.zero_grad()
        loss = problem(theta, calls)
        loss.backward()
        calls += 1
        return loss

    for _ in range(steps):
        loss = optimizer.step(closure)
        record["theta"].append(theta.tolist())
        record["first_loss"].append(loss.item())
        record["evaluations"].append(calls)
    return record


def lbfgs(max_iter, max_eval=None, history=100, lr=1.0):
    def make(params):
        return torch.optim.LBFGS(
            params, lr=lr, max_iter=max_iter, max_eval=max_eval, history_size=history,
            tolerance_grad=1e-7, tolerance_change=1e-9, line_search_fn="strong_wolfe",
        )
    settings = {"max_iter": max_iter, "max_eval": max_eval or max_iter * 5 // 4, "history": history, "lr": lr}
    return make, settings


def run_script(rng):
    """One inner iteration in one dimension: what the search saw, every trial theta, and the accepted one.

    Loss and slope are drawn by order of evaluation, hardly caring for theta, to reach every corner of the line search:
    coarse values make ties, slopes mostly steeper than c2 keep it going, and a descent of random length comes first.
    """
    lr = rng.choice([0.25, 1.0, 3.0, 1e12])
    descent = rng.choice([0, 0, 1, 2, 3, 5, 23, 24, 25])
    theta = torch.tensor([0.0], requires_grad=True)
    optimizer = lbfgs(1, lr=lr)[0]([theta])
    script, trials = [], []

    def draw():
        if not script:
            return 1.0, -1.0
        if len(script) <= descent:
            return 1.0 - 1.2 * theta.item(), -rng.choice([1.0, 1.5, 2.0])
        loss = rng.choice([round(rng.uniform(-1.5, 1.2), 1), 0.9995, script[-1][0]])
        return loss, rng.choice([-2.0, -1.5, -1.0, 1.0, 1.5, 2.0, 0.9] + [0.5] * (rng.random() < 0.2))

    def closure():
        loss, slope = draw()
        script.append((loss, slope))
        trials.append(theta.item())
        theta.grad = torch.tensor([slope])
        return torch.tensor(loss)

    optimizer.step(closure)
    return {"lr": lr, "script": script, "trials": trials, "theta": theta.item()}


def write_scripts(count):
    rng = random.Random(20)
    cases = [run_script(rng) for _ in range(count)]
    # Two trials may coincide to the last bit; the next interpolation then divides 0 by 0 and PyTorch goes on with NaN.
    finite = [case for case in cases if all(map(math.isfinite, case["trials"]))]
    lines = ",\n".join(map(json.dumps, finite))
    (OUT / "search_scripts.json").write_text(f'{{"torch": "{torch.__version__}", "cases": [\n{lines}\n]}}\n')


def adam(lr):
    return (lambda params: torch.optim.Adam(params, lr=lr)), {"lr": lr}


def write(name, problem, start, runs, folder=OUT):
    recorded = [{**settings, **run(problem, start, make, steps)} for (make, settings), steps in runs]
    document = {"torch": torch.__version__, "problem": problem.__name__, "start": start, "runs": recorded}
    text = json.dumps(document).replace('"runs": [', '"runs": [\n').replace("}, {", "},\n{").replace("]}]}", "]}\n]}")
    (folder / f"{name}.json").write_text(text + "\n")


def main():
    OUT.mkdir(parents=True, exist_ok=True)
    single, outer = (lbfgs(1), 35), (lbfgs(20), 3)
    write("lbfgs_rosenbrock2", rosenbrock, [-1.2, 1.0], [single, outer, (lbfgs(1, history=3, lr=0.5), 35)])
    write("lbfgs_rosenbrock10", rosenbrock, wave_start(10), [single, outer])
    write("lbfgs_quadratic", quadratic, wave_start(20), [single, outer, (lbfgs(1, history=5), 35)])
    write("lbfgs_tanh_net", tanh_net, wave_start(25), [single, outer])
    write("lbfgs_drifting_bowl", drifting_bowl, wave_start(6), [single, (lbfgs(20), 6)])
    write_scripts(80)
    write("adam_rosenbrock10", rosenbrock, wave_start(10), [(adam(1e-2), 50)])
    write("adam_tanh_net", tanh_net, wave_start(25), [(adam(1e-3), 50)])
    write("lbfgs_reaction_pinn", reaction_pinn, wave_start(25), [(lbfgs(1), 40), (lbfgs(20), 3)], OUT_PINN)


if __name__ == "__main__":
    main()
