"""Objectives: gradients, residuals and JᵀJ as arrays, and optimisers of others that drive them."""

import pickle

import numpy as np
import pytest
from conftest import heat

import ropinn

SIZES = {"width": 6, "depth": 2, "precision": "f64", "set": {"points.interior": "grid:9x9"}}


@pytest.fixture(scope="module")
def objective():
    return ropinn.Objective(heat(), "pinn", **SIZES)


def test_the_gradient_is_that_of_the_value(objective):
    theta = objective.initial()
    value, grad = objective.value_and_grad(theta)
    direction = np.random.default_rng(0).standard_normal(theta.size)
    h = 1e-6
    difference = (objective.value(theta + h * direction) - objective.value(theta - h * direction)) / (2 * h)
    assert np.isclose(difference, grad @ direction, rtol=1e-6) and objective.value(theta) == value


def test_squares_add_up(objective):
    theta = objective.initial()
    value, grad = objective.value_and_grad(theta)
    rho, jacobian = objective.jacobian(theta)
    assert rho.shape == (objective.residual_count,) and jacobian.shape == (rho.size, objective.parameters)
    assert np.isclose(rho @ rho, value) and np.allclose(objective.residuals(theta), rho)
    assert np.allclose(2 * jacobian.T @ rho, grad)
    loss, same, gram = objective.gram(theta)
    assert np.isclose(loss, value) and np.allclose(same, grad) and np.allclose(gram, jacobian.T @ jacobian)
    v, w = np.arange(theta.size) / 10.0, np.linspace(-1, 1, rho.size)
    assert np.allclose(objective.jvp(theta, v), jacobian @ v) and np.allclose(objective.vjp(theta, w), jacobian.T @ w)


def test_tensors_and_back(objective):
    theta = objective.initial()
    tensors = objective.tensors(theta)
    assert tensors["linear.0.weight"].shape == (6, 2)
    assert np.array_equal(objective.flat(tensors), theta)
    with pytest.raises(ropinn.OptionError, match="the tensor `linear.0.bias` is missing"):
        objective.flat({name: tensor for name, tensor in tensors.items() if name != "linear.0.bias"})


def test_it_starts_where_a_run_starts(objective):
    again = pickle.loads(pickle.dumps(objective))
    assert np.array_equal(again.initial(), objective.initial())
    assert not np.array_equal(ropinn.Objective(heat(), "pinn", seed=1, **SIZES).initial(), objective.initial())
    assert 0 < objective.error(objective.initial()) < 10 and objective.terms[0] == "residual"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"objective": "region"}, "an Objective is one function of theta"),
        ({"sampling": "rad"}, "an Objective is one function of theta"),
        ({"wdth": 3}, "unknown option `wdth` of Objective (did you mean `width`?)"),
    ],
)
def test_refusals(options, words):
    with pytest.raises(ropinn.OptionError) as caught:
        ropinn.Objective(heat(), "pinn", **options)
    assert words in str(caught.value), str(caught.value)


def test_vectors_of_another_length(objective):
    with pytest.raises(ropinn.OptionError, match="the parameters given are 3 numbers, but the model has"):
        objective.value_and_grad(np.zeros(3))
    with pytest.raises(ropinn.OptionError, match="v has 2 numbers where"):
        objective.jvp(objective.initial(), [1, 2])
    with pytest.raises(ropinn.OptionError, match="w has 2 numbers where"):
        objective.vjp(objective.initial(), [1, 2])
    with pytest.raises(ropinn.OptionError, match="a vector of numbers is needed"):
        objective.value("theta")


def test_scipy_finds_the_minimum_that_our_own_lbfgs_finds():
    optimize = pytest.importorskip("scipy.optimize")
    # Frozen features under a linear equation: the loss is a paraboloid, so there is one minimum to be found.
    options = {"model": "features", "width": 12, "precision": "f64", "objective": "point"}
    settings = {"points.interior": "grid:15x15"}
    objective = ropinn.Objective(heat(), seed=0, set=settings, **options)
    theta = objective.initial()
    limits = {"maxiter": 20_000, "maxfun": 40_000, "ftol": 0, "gtol": 1e-12, "maxcor": 50}
    theirs = optimize.minimize(objective.value_and_grad, theta, jac=True, method="L-BFGS-B", options=limits)
    ours = ropinn.solve(heat(), optimizer="lbfgs 5000", seed=0, set=settings, strategy="plain", progress=False, **options)
    rho, jacobian = objective.jacobian(theta)
    least = objective.value(theta - np.linalg.lstsq(jacobian, rho, rcond=None)[0])
    assert np.isclose(theirs.fun, least, rtol=1e-4) and np.isclose(ours.history["loss"][-1], least, rtol=1e-4)
