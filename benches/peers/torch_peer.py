"""PyTorch's time for one loss and parameter gradient of a PINN residual term, on the CPU in float32.

eager    as the official RoPINN scripts do it: one nested `torch.autograd.grad` of the summed output per derivative
         (x and t separate leaf columns), then `loss.backward()`.
         `--model` takes the modules of models.py too; before timing, the derivatives of a small one are compared with the
         golden file that the tests of ropinn compare theirs with.
compile  the same loss of a pinn under `torch.compile`. Compiled code cannot be differentiated twice from outside, so the
         coordinate derivatives are taken inside, by nested `torch.func.jvp` (variant `forward`) or nested
         `torch.func.grad` of the summed output (variant `reverse`); then `loss.backward()`. The faster one counts.
"""

import json
import os
import sys
from pathlib import Path

from measure import limit_threads, measure_variants, report
from workload import MODELS, PROBLEMS, arguments, derivative_chains, points, weights

GOLDEN = Path(__file__).resolve().parents[2] / "crates" / "pinn" / "tests" / "golden"


def mlp(torch, parameters, columns):
    """Tanh MLP on concatenated columns; parameters are the flat list W0, b0, W1, b1, ..."""
    z = torch.cat(columns, dim=-1)
    last = len(parameters) - 2
    for index in range(0, len(parameters), 2):
        z = torch.nn.functional.linear(z, parameters[index], parameters[index + 1])
        if index != last:
            z = torch.tanh(z)
    return z


def sequential(torch, parameters):
    """The same MLP as a module of columns, as the official code has it."""
    layers = []
    for matrix, bias in zip(parameters[::2], parameters[1::2]):
        linear = torch.nn.Linear(matrix.shape[1], matrix.shape[0])
        linear.weight.data.copy_(matrix)
        linear.bias.data.copy_(bias)
        layers += [linear, torch.nn.Tanh()]

    class OfColumns(torch.nn.Sequential):
        def forward(self, *columns):
            return super().forward(torch.cat(columns, dim=-1))

    return OfColumns(*layers[:-1])


def derivatives(torch, model, leaves, chains):
    """{"": u, "x": u_x, ...} by nested gradients of summed outputs."""
    found = {"": model(*leaves.values())}
    for name in chains[1:]:
        of = found[name[:-1]]
        found[name] = torch.autograd.grad(
            of, leaves[name[-1]], grad_outputs=torch.ones_like(of), retain_graph=True, create_graph=True
        )[0]
    return found


def eager(torch, problem, model, columns):
    """The official closure, for the residual term alone."""
    leaves = {name: column.clone().requires_grad_() for name, column in columns.items()}
    chains = derivative_chains(problem)

    def evaluate():
        found = derivatives(torch, model, leaves, chains)
        loss = torch.mean(problem.residual(found.__getitem__) ** 2)
        model.zero_grad()
        loss.backward()
        return loss.item(), [parameter.grad for parameter in model.parameters()]

    return evaluate


def forward_orders(torch, orders, axis):
    """columns -> [u, u', ...] becomes columns -> [u, u', ..., one order more] by one more forward sweep."""

    def raised(columns):
        def along(column):
            return orders([column if index == axis else other for index, other in enumerate(columns)])

        values, tangents = torch.func.jvp(along, (columns[axis],), (torch.ones_like(columns[axis]),))
        return [*values, tangents[-1]]

    return raised


def reverse_orders(torch, orders, axis):
    """As `forward_orders`, by a reverse sweep of the summed highest order."""

    def raised(columns):
        def along(column):
            values = orders([column if index == axis else other for index, other in enumerate(columns)])
            return values[-1].sum(), values

        derivative, values = torch.func.grad(along, has_aux=True)(columns[axis])
        return [*values, derivative]

    return raised


def compiled(torch, problem, parameters, columns, raise_order):
    """The functional loss and gradient as one compiled graph."""
    points_ = list(columns.values())

    def loss_of(parameters):
        found = {}
        for axis, coordinate in enumerate(problem.coordinates):
            highest = max((len(name) for name in problem.derivatives if name[0] == coordinate), default=0)
            if highest:
                orders = lambda columns: [mlp(torch, parameters, columns)]  # noqa: E731
                for _ in range(highest):
                    orders = raise_order(torch, orders, axis)
                found.update({coordinate * order: value for order, value in enumerate(orders(points_))})
        return torch.mean(problem.residual(found.__getitem__) ** 2)

    # `backward` stays outside: only then does the compiler see a training graph and remove common subexpressions.
    compiled_loss = torch.compile(loss_of, fullgraph=True)
    trainable = [tensor.clone().requires_grad_() for tensor in parameters]

    def evaluate():
        for tensor in trainable:
            tensor.grad = None
        loss = compiled_loss(trainable)
        loss.backward()
        return loss.item(), [tensor.grad for tensor in trainable]

    return evaluate


def golden_misfit(torch, name):
    """How far u and its derivatives are from the golden values of a small model of this kind, relative to their sizes."""
    from models import build

    golden = json.loads((GOLDEN / f"{name}.json").read_text())
    model = build(name, **golden["sizes"]).double()

    def exact(numbers, shape):
        return torch.tensor(numbers, dtype=torch.float64).view(shape)

    tensors = {layer["name"]: exact(layer["values"], layer["shape"]) for layer in golden["layers"]}
    model.load_state_dict(tensors, strict=True)
    shape = (*golden["points"]["shape"], 1)
    leaves = {axis: exact(golden["points"][axis], shape).requires_grad_() for axis in "xt"}
    found = derivatives(torch, model, leaves, ["", "t", "x", "tt", "xx"])
    misfit = 0.0
    for axes, value in found.items():
        wanted = exact(golden["outputs"]["u_" + axes if axes else "u"], shape)
        misfit = max(misfit, ((value.detach() - wanted).abs().max() / wanted.abs().max()).item())
    return misfit


def module_and_columns(torch, options, problem):
    """The model to time, started at random, and the points in the form it takes."""
    from golden_models import randomise
    from losses import ELEMENTS, STEP
    from models import build

    sizes = {
        "qres": {"width": options.width, "blocks": options.depth - 1},
        "kan": {"widths": [2, *[options.width] * options.depth, 1]},
        # All but the embedding as the paper has it.
        "pinnsformer": {"d_model": options.width, "heads": 2, "ff_width": 256, "out_width": 512, "layers": options.depth},
    }
    torch.manual_seed(1)
    model = build(options.model, **sizes[options.model])
    randomise(model)
    columns = {name: torch.from_numpy(column) for name, column in points(problem, options.points).items()}
    if options.model == "pinnsformer":
        later = STEP * torch.arange(ELEMENTS)
        columns["x"] = columns["x"].expand(-1, ELEMENTS).unsqueeze(-1).contiguous()
        columns["t"] = (columns["t"] + later).unsqueeze(-1)
    return model, columns


def main():
    parser = arguments(__doc__, MODELS)
    parser.add_argument("--mode", choices=["eager", "compile"], default="eager")
    parser.add_argument("--variant", choices=["all", "forward", "reverse"], default="all", help="of --mode compile")
    options = parser.parse_args()
    limit_threads(options.threads)
    # Otherwise the compiler's worker processes warm up in the background while we measure.
    os.environ["TORCHINDUCTOR_COMPILE_THREADS"] = "1"

    import torch

    torch.set_num_threads(options.threads)
    instructions = torch.backends.cpu.get_cpu_capability()
    if instructions == "AVX2":
        # The compiler looks at the processor, not at what ATen was held to.
        torch._inductor.config.cpp.simdlen = 256
    problem = PROBLEMS[options.problem]
    misfit = golden_misfit(torch, options.model)
    if misfit > 1e-9:
        sys.exit(f"torch_peer: {options.model} is off its golden values by {misfit:.1e}")

    if options.model != "pinn":
        if options.mode != "eager":
            sys.exit("torch_peer: --mode compile knows only --model pinn")
        variants = {"nested": eager(torch, problem, *module_and_columns(torch, options, problem))}
    else:
        parameters = [torch.from_numpy(array) for layer in weights(problem, options.width, options.depth) for array in layer]
        columns = {name: torch.from_numpy(column) for name, column in points(problem, options.points).items()}
        if options.mode == "eager":
            variants = {"nested": eager(torch, problem, sequential(torch, parameters), columns)}
        else:
            ways = {"forward": forward_orders, "reverse": reverse_orders}
            chosen = ways if options.variant == "all" else {options.variant: ways[options.variant]}
            variants = {name: compiled(torch, problem, parameters, columns, way) for name, way in chosen.items()}
    report(f"torch-{options.mode}", torch.__version__, options, measure_variants(variants, options.repeat), instructions)


if __name__ == "__main__":
    main()
