"""JAX's time for one loss and parameter gradient of a PINN residual term, jitted on the CPU in float32.

Three ways to the coordinate derivatives, the fastest of which counts:
  reverse  nested `grad` of the network at one point, under `vmap`
  forward  nested `jvp` of the whole batch
  jet      Taylor mode, `jax.experimental.jet`: one pass per coordinate gives all its orders
"""

from measure import limit_threads, measure_variants, report
from workload import PROBLEMS, arguments, derivative_chains, points, weights


def mlp(jnp, parameters, columns):
    """Tanh MLP on concatenated columns (points, 1), or on scalars at a single point."""
    z = jnp.concatenate(columns, axis=-1)
    for matrix, bias in parameters[:-1]:
        z = jnp.tanh(z @ matrix.T + bias)
    matrix, bias = parameters[-1]
    return z @ matrix.T + bias


def reverse(jax, problem, parameters, columns):
    """{name: derivative} by grad at a point, mapped over the batch."""
    axes = {name: index for index, name in enumerate(problem.coordinates)}
    derivatives = {"": lambda *point: mlp(jax.numpy, parameters, [value[None] for value in point])[0]}
    for name in derivative_chains(problem)[1:]:
        derivatives[name] = jax.grad(derivatives[name[:-1]], argnums=axes[name[-1]])
    flat = [column[:, 0] for column in columns]
    return {name: jax.vmap(function)(*flat) for name, function in derivatives.items()}


def forward(jax, problem, parameters, columns):
    """{name: derivative} by nested jvp along one coordinate column."""
    axes = {name: index for index, name in enumerate(problem.coordinates)}

    def along(function, axis):
        def derived(*columns):
            def moved(column):
                return function(*columns[:axis], column, *columns[axis + 1 :])

            return jax.jvp(moved, (columns[axis],), (jax.numpy.ones_like(columns[axis]),))[1]

        return derived

    derivatives = {"": lambda *columns: mlp(jax.numpy, parameters, columns)}
    for name in derivative_chains(problem)[1:]:
        derivatives[name] = along(derivatives[name[:-1]], axes[name[-1]])
    return {name: function(*columns) for name, function in derivatives.items()}


def taylor(jax, problem, parameters, columns):
    """{name: derivative} by one Taylor expansion per coordinate: u(x + s) = sum_k u^(k) s^k / k!."""
    from jax.experimental.jet import jet

    ones, zeros = jax.numpy.ones_like(columns[0]), jax.numpy.zeros_like(columns[0])
    found = {}
    for axis, coordinate in enumerate(problem.coordinates):
        order = max((len(name) for name in problem.derivatives if name[0] == coordinate), default=0)
        if order == 0:
            continue

        def moved(column, axis=axis):
            return mlp(jax.numpy, parameters, [*columns[:axis], column, *columns[axis + 1 :]])

        found[""], series = jet(moved, (columns[axis],), ([ones] + [zeros] * (order - 1),))
        found.update({coordinate * (k + 1): value for k, value in enumerate(series)})
    return found


WAYS = {"reverse": reverse, "forward": forward, "jet": taylor}


def jitted(jax, problem, parameters, columns, derive):
    """The evaluation as one XLA program."""

    def loss_of(parameters, columns):
        found = derive(jax, problem, parameters, columns)
        return jax.numpy.mean(problem.residual(found.__getitem__) ** 2)

    step = jax.jit(jax.value_and_grad(loss_of))

    def evaluate():
        loss, gradient = jax.block_until_ready(step(parameters, columns))
        return float(loss), jax.tree.leaves(gradient)

    return evaluate


def main():
    parser = arguments(__doc__)
    parser.add_argument("--variant", choices=["all", *WAYS], default="all")
    options = parser.parse_args()
    limit_threads(options.threads)

    import jax

    problem = PROBLEMS[options.problem]
    parameters = jax.tree.map(jax.numpy.asarray, weights(problem, options.width, options.depth))
    columns = [jax.numpy.asarray(column) for column in points(problem, options.points).values()]

    chosen = WAYS if options.variant == "all" else {options.variant: WAYS[options.variant]}
    variants = {name: jitted(jax, problem, parameters, columns, way) for name, way in chosen.items()}
    report("jax", jax.__version__, options, measure_variants(variants, options.repeat))


if __name__ == "__main__":
    main()
