"""Solve partial differential equations with physics-informed neural networks.

>>> import numpy as np, ropinn
>>> problem = ropinn.Problem(
...     coordinates={"x": (0, 2 * np.pi), "t": (0, 1)}, time="t", unknowns=["u"],
...     equations={"reaction": "u_t - rho*u*(1 - u)"}, constants={"rho": 5},
...     conditions=[ropinn.initial("exp(-(x - pi)^2/(2*(pi/4)^2))"), ropinn.periodic("x")],
... )
>>> solution = ropinn.solve(problem, seed=0, max_seconds=60)
>>> u = solution(x, t)
"""

from . import problems
from ._conditions import data, dirichlet, initial, neumann, operator, periodic, robin
from ._errors import Error, ForkError, OptionError, ProblemError, RopinnWarning, RunError, VerdictError
from ._objective import Objective
from ._picture import Picture
from ._problem import Problem
from ._race import Standings, race
from ._ropinn import __version__
from ._seeds import Seeds
from ._solution import Solution, TrainedValue, Verdict
from ._solve import Step, evaluate, load, resume, solve

__all__ = [
    "Error",
    "ForkError",
    "Objective",
    "OptionError",
    "Picture",
    "Problem",
    "ProblemError",
    "RopinnWarning",
    "RunError",
    "Seeds",
    "Solution",
    "Standings",
    "Step",
    "TrainedValue",
    "Verdict",
    "VerdictError",
    "__version__",
    "data",
    "dirichlet",
    "evaluate",
    "initial",
    "load",
    "neumann",
    "operator",
    "periodic",
    "problems",
    "race",
    "resume",
    "robin",
    "solve",
]
