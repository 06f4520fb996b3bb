"""Writes golden values of the base models, computed by PyTorch autograd in float64, for the tests of models and engine.

    .venv/bin/python golden_models.py            writes ../../crates/pinn/tests/golden/<model>.json

One file per small model. Arrays are flat and row-major:

    model, sizes      which network
    layers            named_parameters() order: name, shape, values, grad_loss, grad_mean_square
    points            shape (n) or, for sequence models, (n, elements); x, t
    outputs           u, u_x, u_t, u_xx, u_tt, u_xt, u_tx with the shape of the points
    loss              formula and value; its parameter gradient is grad_loss
    mean_square       formula and value of mean(u^2); its parameter gradient is grad_mean_square

Derivatives follow the official code: each is the gradient of the SUM of all outputs, so on a sequence
(u_t)_i = sum_j du_j/dt_i, u_tt = grad(sum u_t, t), u_xt = grad(sum u_x, t) and u_tx = grad(sum u_t, x).
Attention makes u_xt and u_tx differ there; for models acting point by point they are equal.
Every file is checked against central differences before it is written.
"""

import json
import math
from pathlib import Path

import torch

from models import Kan, KanLayer, PinnsFormer, build

GOLDEN = Path(__file__).resolve().parents[2] / "crates" / "pinn" / "tests" / "golden"
POINTS, ELEMENTS = 6, 5
LOSS = "mean((u_t - 5 u (1 - u))^2 + 0.1 (u_tt - 4 u_xx)^2 + 0.01 u_xt^2)"
TRANSFORMER = {"d_model": 8, "heads": 2, "ff_width": 12, "out_width": 10, "layers": 1}

# derivative, the output it differentiates, and by which coordinate (0 = x, 1 = t)
CHAIN = [("u_x", "u", 0), ("u_t", "u", 1), ("u_xx", "u_x", 0), ("u_tt", "u_t", 1), ("u_xt", "u_x", 1), ("u_tx", "u_t", 0)]

# file: model and sizes
MODELS = {
    "pinn": ("pinn", {"width": 8, "depth": 3}),
    "fls": ("fls", {"width": 8, "depth": 3}),
    "qres": ("qres", {"width": 6, "blocks": 1}),
    "pinnsformer": ("pinnsformer", TRANSFORMER),
    "pinnsformer-encoder": ("pinnsformer-encoder", TRANSFORMER),
    "kan": ("kan", {"widths": [2, 5, 1]}),
    "kan-deep": ("kan", {"widths": [2, 3, 3, 1]}),
}


def randomise(model):
    """Matrices of variance 1/fan_in; biases and KAN edges around 0, wavelet weights and spline scales around 1."""
    with torch.no_grad():
        for name, tensor in model.named_parameters():
            noise = torch.randn_like(tensor)
            if name.endswith(("w1", "w2", "scale_sp")):
                tensor.copy_(1.0 + 0.3 * noise)
            elif name.endswith(("scale_base", "coef")):
                tensor.copy_(0.4 * noise)
            elif tensor.dim() == 1 or name.startswith("biases."):
                tensor.copy_(0.3 * noise)
            else:
                tensor.copy_(noise / math.sqrt(tensor.shape[1]))


def draw_points(model):
    """(x, t) columns: plain points, scattered sequences, or for KAN points clear of every knot with some beyond the grid."""
    if isinstance(model, PinnsFormer):
        centre = torch.rand(POINTS, 1, 2)
        scattered = centre + 0.2 * torch.randn(POINTS, ELEMENTS, 2)
        return scattered[..., :1], scattered[..., 1:]
    if not isinstance(model, Kan):
        drawn = 2.0 * torch.rand(POINTS, 2) - 0.5
        return drawn[:, :1], drawn[:, 1:]
    while True:
        drawn = 6.0 * torch.rand(POINTS, 2) - 3.0
        inputs = model.layer_inputs(drawn[:, :1], drawn[:, 1:])[:-1]
        to_knot = min((z.unsqueeze(-1) - KanLayer.knots()).abs().min().item() for z in inputs)
        beyond = (drawn.abs() > 2.2).sum(dim=0)
        inside = (drawn.abs() < 2.2).all(dim=1).sum()
        if to_knot > 1e-3 and beyond.min() >= 1 and inside >= 2:
            return drawn[:, :1], drawn[:, 1:]


def derivative(of, by):
    """The official code's derivative: gradient of the sum of `of`, differentiable again."""
    return torch.autograd.grad(of, by, grad_outputs=torch.ones_like(of), retain_graph=True, create_graph=True)[0]


def evaluate(model, x, t):
    """All outputs, and the two scalars the parameter gradients belong to."""
    x, t = x.clone().requires_grad_(), t.clone().requires_grad_()
    outputs = {"u": model(x, t)}
    for name, of, axis in CHAIN:
        outputs[name] = derivative(outputs[of], (x, t)[axis])
    u = outputs["u"]
    reaction = outputs["u_t"] - 5 * u * (1 - u)
    wave = outputs["u_tt"] - 4 * outputs["u_xx"]
    loss = (reaction**2 + 0.1 * wave**2 + 0.01 * outputs["u_xt"] ** 2).mean()
    return outputs, loss, (u**2).mean()


def flat(tensor):
    return tensor.detach().reshape(-1).tolist()


def parameter_gradient(model, scalar):
    return torch.autograd.grad(scalar, list(model.parameters()), retain_graph=True)


def check_by_differences(model, x, t, outputs, gradient):
    """Central differences of what the file states: derivatives of the sums, and the loss along a random direction."""
    step = 1e-5

    def close(name, got, want):
        worst = ((got - want).abs() / (1.0 + want.abs())).max().item()
        assert worst < 1e-6, f"{name}: differs from central differences by {worst:e}"

    def shifted_sums(name, axis):
        """d(sum of output `name`)/d(coordinate), one coordinate at a time."""
        column = [x, t][axis]
        result = torch.zeros_like(column)
        for index in range(column.numel()):
            sums = []
            for sign in (step, -step):
                moved = [x.clone(), t.clone()]
                moved[axis].view(-1)[index] += sign
                sums.append(evaluate(model, *moved)[0][name].sum().item())
            result.view(-1)[index] = (sums[0] - sums[1]) / (2 * step)
        return result

    for name, of, axis in CHAIN:
        close(name, outputs[name].detach(), shifted_sums(of, axis))

    direction = [torch.randn_like(p) for p in model.parameters()]
    losses = []
    for sign in (step, -step):
        with torch.no_grad():
            for p, d in zip(model.parameters(), direction):
                p.add_(d, alpha=sign)
        losses.append(evaluate(model, x, t)[1].detach())
        with torch.no_grad():
            for p, d in zip(model.parameters(), direction):
                p.sub_(d, alpha=sign)
    want = (losses[0] - losses[1]) / (2 * step)
    close("grad_loss", sum((g * d).sum() for g, d in zip(gradient, direction)), want)


def golden(name, seed):
    kind, sizes = MODELS[name]
    torch.manual_seed(seed)
    model = build(kind, **sizes)
    randomise(model)
    x, t = draw_points(model)
    outputs, loss, mean_square = evaluate(model, x, t)
    grad_loss = parameter_gradient(model, loss)
    grad_mean_square = parameter_gradient(model, mean_square)
    layers = [
        {"name": layer, "shape": list(p.shape), "values": flat(p), "grad_loss": flat(a), "grad_mean_square": flat(b)}
        for (layer, p), a, b in zip(model.named_parameters(), grad_loss, grad_mean_square)
    ]
    check_by_differences(model, x, t, outputs, grad_loss)
    return {
        "model": name,
        "sizes": sizes,
        "points": {"shape": list(x.shape[:-1]), "x": flat(x), "t": flat(t)},
        "outputs": {key: flat(value) for key, value in outputs.items()},
        "loss": {"formula": LOSS, "value": loss.item()},
        "mean_square": {"formula": "mean(u^2)", "value": mean_square.item()},
        "layers": layers,
    }


def render(record):
    """JSON with one line per array, so that differences stay readable."""
    lines = []
    for key, value in record.items():
        if key == "layers":
            entries = [json.dumps(layer).replace(', "', ',\n   "') for layer in value]
            lines.append('"layers": [\n  ' + ",\n  ".join(entries) + "\n ]")
        elif key in ("points", "outputs"):
            lines.append(f'"{key}": ' + json.dumps(value).replace(', "', ',\n  "'))
        else:
            lines.append(f'"{key}": {json.dumps(value)}')
    return "{\n " + ",\n ".join(lines) + "\n}\n"


def main():
    torch.set_default_dtype(torch.float64)
    torch.set_num_threads(1)
    GOLDEN.mkdir(parents=True, exist_ok=True)
    for seed, name in enumerate(MODELS):
        text = render(golden(name, seed))
        json.loads(text)
        (GOLDEN / f"{name}.json").write_text(text)
        print(GOLDEN / f"{name}.json")


if __name__ == "__main__":
    main()
