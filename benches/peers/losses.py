"""The losses of the three main benchmarks as PyTorch closures, term by term, as the official RoPINN scripts compute them.

Points: x and t each `count` equidistant values, both ends included, t outer and x inner. The residual is taken on the whole
grid, the initial conditions on its row t = 0, the boundary conditions on its columns x = x_max and x = x_min, corners
included everywhere. Every term is a mean of squares with weight 1:

  reaction    residual u_t - 5 u (1 - u)     initial u - exp(-(x - pi)^2 / (2 (pi/4)^2))    periodic u(2 pi, t) - u(0, t)
  wave        residual u_tt - 4 u_xx         initial u - sin(pi x) - sin(3 pi x)/2          right end u(1, t)
                                             initial velocity u_t                           left end u(0, t)
  convection  residual u_t + 50 u_x          initial u - sin(x)                             periodic u(2 pi, t) - u(0, t)

On pseudo-sequences each point (x, t) becomes (x, t + 1e-4 i), i = 0..4. Initial values are compared at element 0 only; every
other term is a mean over all elements. A derivative is the gradient of the SUM of all outputs. Points are laid out in float64
and rounded to the type the model computes with.
"""

import math

import torch

ELEMENTS, STEP = 5, 1e-4


class Field:
    """A model's u on one set of points, with the derivatives asked for."""

    def __init__(self, model, x, t):
        self.x, self.t = x.clone().requires_grad_(), t.clone().requires_grad_()
        self.u = model(self.x, self.t)

    def derivative(self, axes):
        """u differentiated by each axis of a word such as "tt"."""
        found = self.u
        for axis in axes:
            by = {"x": self.x, "t": self.t}[axis]
            found = torch.autograd.grad(found, by, torch.ones_like(found), retain_graph=True, create_graph=True)[0]
        return found


class Sides:
    """The fields on the grid, its initial row and its two boundary columns."""

    def __init__(self, model, x_max, count, sequence, dtype):
        x = torch.linspace(0, x_max, count, dtype=torch.float64)
        t = torch.linspace(0, 1, count, dtype=torch.float64)

        def field(xs, ts):
            columns = xs.reshape(-1, 1), ts.reshape(-1, 1)
            if sequence:
                later = STEP * torch.arange(ELEMENTS, dtype=torch.float64)
                columns = columns[0].expand(-1, ELEMENTS).unsqueeze(-1), (columns[1] + later).unsqueeze(-1)
            return Field(model, *(column.to(dtype) for column in columns))

        ts, xs = torch.meshgrid(t, x, indexing="ij")
        self.grid = field(xs, ts)
        self.start = field(x, torch.zeros_like(x))
        self.right = field(torch.full_like(t, x_max), t)
        self.left = field(torch.zeros_like(t), t)

    def initial_misfit(self, value):
        """u - value(x) on the initial row; of a sequence, (points, elements, 1), the first element."""
        first = (slice(None), 0) if self.start.u.dim() == 3 else slice(None)
        return self.start.u[first] - value(self.start.x.detach()[first])


def mean_square(error):
    return (error**2).mean()


def reaction(model, count, sequence=False, dtype=torch.float64):
    s = Sides(model, 2 * math.pi, count, sequence, dtype)
    return {
        "residual": mean_square(s.grid.derivative("t") - 5 * s.grid.u * (1 - s.grid.u)),
        "initial": mean_square(s.initial_misfit(lambda x: torch.exp(-((x - math.pi) ** 2) / (2 * (math.pi / 4) ** 2)))),
        "periodic": mean_square(s.right.u - s.left.u),
    }


def wave(model, count, sequence=False, dtype=torch.float64):
    s = Sides(model, 1.0, count, sequence, dtype)
    return {
        "residual": mean_square(s.grid.derivative("tt") - 4 * s.grid.derivative("xx")),
        "initial": mean_square(s.initial_misfit(lambda x: torch.sin(math.pi * x) + 0.5 * torch.sin(3 * math.pi * x))),
        "initial velocity": mean_square(s.start.derivative("t")),
        "right end": mean_square(s.right.u),
        "left end": mean_square(s.left.u),
    }


def convection(model, count, sequence=False, dtype=torch.float64):
    s = Sides(model, 2 * math.pi, count, sequence, dtype)
    return {
        "residual": mean_square(s.grid.derivative("t") + 50 * s.grid.derivative("x")),
        "initial": mean_square(s.initial_misfit(torch.sin)),
        "periodic": mean_square(s.right.u - s.left.u),
    }


LOSSES = {"reaction": reaction, "wave": wave, "convection": convection}


def exact_reaction(x, t):
    h = torch.exp(-((x - math.pi) ** 2) / (2 * (math.pi / 4) ** 2))
    return h * torch.exp(5 * t) / (h * torch.exp(5 * t) + 1 - h)


def exact_wave(x, t):
    first = torch.sin(math.pi * x) * torch.cos(2 * math.pi * t)
    return first + 0.5 * torch.sin(3 * math.pi * x) * torch.cos(6 * math.pi * t)


def exact_convection(x, t):
    return torch.sin(x - 50 * t)


EXACT = {"reaction": exact_reaction, "wave": exact_wave, "convection": exact_convection}


def check_on_exact_solutions():
    """Every term vanishes on the closed-form solution of its problem."""
    for name, exact in EXACT.items():
        for term, value in LOSSES[name](exact, 21).items():
            assert value.item() < 1e-20, f"{name}: {term} is {value.item():e} on the exact solution"
