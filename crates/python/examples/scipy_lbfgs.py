"""SciPy drives the engine: L-BFGS on the loss of the wave equation, with loss and gradient from `ropinn.Objective`."""

import time

from scipy.optimize import minimize

import ropinn

objective = ropinn.Objective("wave", "pinn", width=32, depth=3, precision="f64", set={"points.interior": "grid:51x51"})
theta = objective.initial()
print(f"{objective.parameters} parameters, loss {objective.value(theta):.3e}, rMSE {objective.error(theta):.3f}")

began = time.perf_counter()
found = minimize(objective.value_and_grad, theta, jac=True, method="L-BFGS-B", options={"maxiter": 300, "maxcor": 50})
seconds = time.perf_counter() - began

print(f"after {found.nit} iterations and {seconds:.1f} s: loss {found.fun:.3e}, rMSE {objective.error(found.x):.3f}")
assert found.fun < 0.1 * objective.value(theta)
