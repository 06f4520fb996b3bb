"""PyTorch drives the engine: Adam of `torch.optim` on parameters whose gradients come from `ropinn.Objective`."""

import torch

import ropinn

objective = ropinn.Objective("wave", "pinn", width=32, depth=3, precision="f64", set={"points.interior": "grid:51x51"})
theta = torch.nn.Parameter(torch.from_numpy(objective.initial()))
optimizer = torch.optim.Adam([theta], lr=3e-3)
schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=1000)

first = objective.value(theta.detach().numpy())
for step in range(1, 1001):
    loss, gradient = objective.value_and_grad(theta.detach().numpy())
    theta.grad = torch.from_numpy(gradient)
    optimizer.step()
    schedule.step()
    if step % 200 == 0:
        print(f"step {step}: loss {loss:.3e}, rMSE {objective.error(theta.detach().numpy()):.3f}")
assert loss < 0.5 * first
