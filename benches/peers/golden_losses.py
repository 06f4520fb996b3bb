"""Losses and parameter gradients of every model on every main benchmark, by PyTorch autograd, for the tests of whole cases.

    .venv/bin/python golden_losses.py        writes ../../crates/pinn/tests/golden/losses/<model>.{safetensors,json}

The weights are a float32 safetensors file with state_dict names, as a PyTorch user would save it. The reference is computed in
float64 from these float32 numbers; float32 must agree with it before anything is written. JSON, one object per problem:

    grid              points per axis
    terms, loss       the terms of losses.py and their sum
    gradient          of the loss, by tensor name, flat and row-major
"""

import copy
import json

import torch
from safetensors.torch import save_file

from golden_models import GOLDEN, MODELS, randomise
from losses import LOSSES, check_on_exact_solutions
from models import Kan, KanLayer, PinnsFormer

OUT = GOLDEN / "losses"
GRID = 11
KINDS = ["pinn", "qres", "fls", "pinnsformer", "pinnsformer-encoder", "kan", "kan-deep"]


def evaluate(model, problem):
    """Terms, loss and the gradient by tensor name."""
    names, parameters = zip(*model.named_parameters())
    terms = LOSSES[problem](model, GRID, isinstance(model, PinnsFormer), parameters[0].dtype)
    loss = sum(terms.values())
    gradient = dict(zip(names, torch.autograd.grad(loss, parameters)))
    return {name: value.item() for name, value in terms.items()}, loss.item(), gradient


def clear_of_knots(model):
    """Whether what enters the hidden layers stays clear of the knots, where third derivatives of splines jump."""
    for x_max in (1.0, 2 * torch.pi):
        axis = torch.linspace(0, 1, GRID)
        ts, xs = torch.meshgrid(axis, x_max * axis, indexing="ij")
        for z in model.layer_inputs(xs.reshape(-1, 1), ts.reshape(-1, 1))[1:-1]:
            if (z.unsqueeze(-1) - KanLayer.knots()).abs().min() < 1e-5:
                return False
    return True


def draw(kind):
    """A model whose float64 parameters are float32 numbers."""
    sizes, build = MODELS[kind]
    while True:
        model = build(**sizes)
        randomise(model)
        model = model.float().double()
        if not isinstance(model, Kan) or clear_of_knots(model):
            return model


def flat(gradient):
    return torch.cat([tensor.double().reshape(-1) for tensor in gradient.values()])


def check_single_precision(kind, problem, single, double):
    """Float32 gives the same numbers up to rounding."""
    (terms32, loss32, gradient32), (terms, loss, gradient) = single, double
    of_terms = max(abs(terms32[term] / terms[term] - 1) for term in terms)
    of_gradient = ((flat(gradient32) - flat(gradient)).norm() / flat(gradient).norm()).item()
    print(f"{kind:20} {problem:11} loss {loss:.6e}  float32 off by {of_terms:.1e} (terms), {of_gradient:.1e} (gradient)")
    assert max(of_terms, abs(loss32 / loss - 1)) < 1e-5 and of_gradient < 1e-4, "float32 disagrees with float64"


def check_by_differences(model, problem, gradient):
    """The gradient along a random direction against the central difference of the loss."""
    step, direction = 1e-5, {name: torch.randn_like(p) for name, p in model.named_parameters()}

    def loss_at(shift):
        moved = copy.deepcopy(model)
        with torch.no_grad():
            for name, p in moved.named_parameters():
                p.add_(direction[name], alpha=shift)
        return evaluate(moved, problem)[1]

    want = (loss_at(step) - loss_at(-step)) / (2 * step)
    got = sum((gradient[name] * d).sum() for name, d in direction.items()).item()
    assert abs(got - want) < 1e-6 * (abs(want) + flat(gradient).norm().item()), f"{problem}: slope {got}, difference {want}"


def golden(kind, model):
    record = {}
    for problem in LOSSES:
        double = terms, loss, gradient = evaluate(model, problem)
        check_by_differences(model, problem, gradient)
        check_single_precision(kind, problem, evaluate(copy.deepcopy(model).float(), problem), double)
        entries = {name: tensor.reshape(-1).tolist() for name, tensor in gradient.items()}
        record[problem] = {"grid": GRID, "terms": terms, "loss": loss, "gradient": entries}
    return record


def render(record):
    """JSON with one line per array, so that differences stay readable."""
    problems = [f'"{name}": ' + json.dumps(entry).replace('], "', '],\n   "') for name, entry in record.items()]
    return "{\n " + ",\n ".join(problems) + "\n}\n"


def main():
    torch.set_default_dtype(torch.float64)
    torch.set_num_threads(1)
    check_on_exact_solutions()
    OUT.mkdir(parents=True, exist_ok=True)
    for seed, kind in enumerate(KINDS):
        torch.manual_seed(100 + seed)
        model = draw(kind)
        (OUT / f"{kind}.json").write_text(render(golden(kind, model)))
        save_file({name: p.detach().float() for name, p in model.named_parameters()}, OUT / f"{kind}.safetensors")


if __name__ == "__main__":
    main()
