"""Does PyTorch read what `ropinn solve` saves, and predict the same?

    .venv/bin/python check_weights.py RUN...        folders with config.toml, model.safetensors and prediction.csv

Builds each run's model from its config.toml, loads the weights with `load_state_dict(strict=True)` and compares its u with
the table, in the precision of the run. Ends with 1 if a difference exceeds 2e-5 (float32) or 1e-12 (float64), relative to
max |u|. With `normalise = true` the network expects each coordinate mapped from its range to [-1, 1]; the ranges are those
the table's points span.
"""

import csv
import sys
import tomllib
from pathlib import Path

import torch
from safetensors.torch import load_file

from losses import ELEMENTS, STEP
from models import Kan, PinnsFormer, QRes, fls, pinn

# What models.py builds in, by the names of config.toml.
FIXED = {
    "activation": "tanh", "fourier": None, "sequence": ELEMENTS, "step": STEP, "grid": 5, "degree": 3, "low": -1, "high": 1,
}
TOLERANCE = {torch.float32: 2e-5, torch.float64: 1e-12}


def build(config):
    """The module for a `[model]` table; refuses what the modules do not have."""
    beyond = [key for key, value in FIXED.items() if config.get(key, value) != value]
    if beyond:
        sys.exit(f"check_weights.py: models.py knows no other {', '.join(beyond)} than its own")
    kind = config["kind"]
    if kind in ("pinn", "fls"):
        return {"pinn": pinn, "fls": fls}[kind](config["width"], config["depth"])
    if kind == "qres":
        return QRes(config["width"], config["depth"] - 1)
    if kind == "kan":
        return Kan([2, *config["hidden"], 1])
    sizes = {key: config[key] for key in ("d_model", "heads", "ff_width", "out_width", "layers")}
    return PinnsFormer(**sizes, decoder=kind == "pinnsformer")


def predict(model, x, t, dtype):
    """u at points given in float64."""
    if isinstance(model, PinnsFormer):
        later = STEP * torch.arange(ELEMENTS, dtype=torch.float64)
        x, t = x.expand(-1, ELEMENTS).unsqueeze(-1), (t + later).unsqueeze(-1)
    with torch.no_grad():
        u = model(x.to(dtype), t.to(dtype))
    return (u[:, 0] if isinstance(model, PinnsFormer) else u).double().reshape(-1)


def check(folder):
    config = tomllib.loads((folder / "config.toml").read_text())
    tensors = load_file(folder / "model.safetensors")
    # Scalars trained along with the network are no part of the module.
    tensors = {name: tensor for name, tensor in tensors.items() if not name.startswith("trained.")}
    dtype = next(iter(tensors.values())).dtype
    model = build(config["model"]).to(dtype)
    model.load_state_dict(tensors, strict=True)
    with open(folder / "prediction.csv", newline="") as table:
        rows = list(csv.DictReader(table))
    x, t, u = (torch.tensor([float(row[key]) for row in rows], dtype=torch.float64) for key in ("x", "t", "u"))
    if config["model"].get("normalise"):
        axes = [2 * (axis - axis.min()) / (axis.max() - axis.min()) - 1 for axis in (x, t)]
    else:
        axes = [x, t]
    predicted = predict(model, *(axis.unsqueeze(-1) for axis in axes), dtype)
    off = ((predicted - u).abs().max() / u.abs().max()).item()
    verdict = "ok" if off <= TOLERANCE[dtype] else "DIFFERS"
    print(f"{folder}: {config['model']['kind']}, {len(tensors)} tensors of {dtype}, {len(rows)} points: {off:.1e} {verdict}")
    return verdict == "ok"


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("usage: check_weights.py RUN...")
    torch.set_num_threads(1)
    sys.exit(0 if all([check(Path(folder)) for folder in sys.argv[1:]]) else 1)
