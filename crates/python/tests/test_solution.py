"""Solutions: values, derivatives, residuals, errors, tables, pictures; saved, loaded, pickled."""

import copy
import json
import pickle
import warnings

import numpy as np
import pytest
from conftest import SMALL, heat

import ropinn


def test_shapes_broadcast(wave):
    x, t = np.linspace(0, 1, 5), np.linspace(0, 1, 3)
    grid = wave(x, t[:, None])
    assert grid.shape == (3, 5) and grid.dtype == np.float64
    assert np.array_equal(grid[1], wave(x, t[1])) and np.array_equal(grid, wave(t=t[:, None], x=x))
    assert isinstance(wave(0.5, 0.5), float) and wave([], []).shape == (0,)
    assert np.array_equal(wave(x.astype(np.float32), 0), wave(x.astype(np.float32).astype(float), 0.0))
    assert np.array_equal(wave(np.linspace(0, 1, 9)[::2], 0), wave(x, 0))
    assert np.array_equal(wave(x[:, None, None], t[None, :, None]).squeeze(), grid.T)
    grid[0, 0] = 3.0  # the caller's own


def test_derivatives_are_those_of_the_values():
    solution = ropinn.solve("wave", precision="f64", strategy="plain", **SMALL)
    x, t, h = np.linspace(0.1, 0.9, 7), 0.4, 1e-4
    difference = (solution(x + h, t) - solution(x - h, t)) / (2 * h)
    assert np.allclose(solution.derivative("u_x", x, t=t), difference, rtol=1e-6, atol=1e-7)
    residual = solution.derivative("u_tt - 4*u_xx", x, t)
    assert np.allclose(solution.residual(x, t), residual, rtol=1e-12)
    assert np.allclose(solution.derivative("2*u", x, t), 2 * solution(x, t))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda s: s(1.0), "the solution is a function of x, t; `t` is missing"),
        (lambda s: s(1, 2, 3), "the solution is a function of x, t, but 3 arguments are given"),
        (lambda s: s(0.5, x=0.5), "the solution is a function of x, t; `x` is given twice"),
        (lambda s: s(0.5, tt=0.5), "the solution is a function of x, t, not of `tt` (did you mean `t`?)"),
        (lambda s: s("a", 0.5), "`x` must be an array of numbers, found 'a'"),
        (lambda s: s([1, 2], [1, 2, 3]), "the coordinates do not broadcast: their shapes are x (2,), t (3,)"),
        (lambda s: s.derivative("u_q", 0.5, 0.5), "cannot predict `u_q`: column 1: unknown symbol `u_q`"),
        (lambda s: s.derivative(3, 0.5, 0.5), 'name the derivative, such as "u_x"; found 3'),
        (lambda s: s.derivative("u +", 0.5, 0.5), "cannot predict `u +`"),
    ],
)
def test_calls_that_make_no_sense(wave, call, words):
    with pytest.raises(ropinn.Error) as caught:
        call(wave)
    assert words in str(caught.value), str(caught.value)


def test_points_outside_are_told(wave):
    with pytest.warns(ropinn.RopinnWarning, match="1 of 2 points lies outside the domain or in a hole"):
        wave([0.5, 2.0], 0.5)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        wave([0, 1], [0, 1])


def test_errors(wave):
    table = wave.to_numpy()
    assert list(table) == ["x", "t", "u", "u_exact"] and len(table["x"]) == 121
    assert np.array_equal(table["u"], wave(table["x"], table["t"]))
    errors = wave.error_map()["u_error"]
    measured = np.sqrt(np.sum(errors**2) / np.sum(table["u_exact"] ** 2))
    assert np.isclose(measured, wave.rmse) and wave.error == wave.rmse
    assert np.allclose(wave.error_map(table["x"], t=table["t"]), errors)
    tabled = ropinn.solve(heat(reference={"x": [0.5], "t": [0.5], "u": [1.0]}), **SMALL)
    with pytest.raises(ropinn.OptionError, match=r"is known at its own points only; call error_map\(\)"):
        tabled.error_map(0.5, 0.5)
    assert len(tabled.error_map()["u_error"]) == 1
    unknown = ropinn.solve(heat(reference=None), **SMALL)
    assert unknown.rmse is None
    with pytest.raises(ropinn.OptionError, match="has no reference to compare with"):
        unknown.error_map()


def test_xarray(wave):
    data = wave.to_xarray()
    assert dict(data.sizes) == {"x": 11, "t": 11} and data.attrs["problem"] == "wave"
    assert np.allclose(data["u"].sel(x=0.5, t=1.0, method="nearest"), wave(0.5, 1.0))
    scattered = ropinn.solve("wave", **{**SMALL, "set": {**SMALL["set"], "points.evaluation": "halton:50"}})
    assert dict(scattered.to_xarray().sizes) == {"point": 50}


def test_history_and_weights_are_read_only_arrays(wave):
    assert len(wave.history["loss"]) == len(wave.history["iteration"]) > 0
    assert {"term residual", "rmse", "seconds"} < set(wave.history)
    sizes = sum(tensor.size for tensor in wave.weights.values())
    assert sizes == wave.result["parameters"] and wave.weights["linear.0.weight"].shape == (8, 2)
    for array in [wave.history["loss"], wave.weights["linear.0.weight"]]:
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


def test_several_unknowns_and_trained_numbers():
    t = np.linspace(0, 2, 21)
    problem = ropinn.Problem(
        coordinates={"t": (0, 2)},
        unknowns=["a", "b"],
        equations={"first": "a_t + k*b", "second": "b_t - a"},
        trainable={"k": 0.5},
        conditions=[ropinn.data(t=t, a=np.cos(t), b=np.sin(t))],
    )
    solution = ropinn.solve(problem, seed=0, iterations=60, optimizer="gauss-newton 60", progress=False)
    k = solution.trained["k"]
    assert abs(k - 1) < 1e-2 and k.standard_error < 1e-2 and k.interval[0] < k < k.interval[1]
    values = solution(t)
    a, b = values
    assert values.a is a and np.allclose(b, np.sin(t), atol=1e-2)
    first, second = solution.residual(t)
    assert first.shape == second.shape == t.shape
    assert "trained.k" in solution.weights and "trained k" in solution.history


def test_values_with_intervals():
    value = ropinn.TrainedValue({"value": 0.1, "standard_error": 0.01, "low": 0.08, "high": 0.12})
    assert (value, value.interval, value.standard_error) == (0.1, (0.08, 0.12), 0.01)
    assert repr(value) == "0.1 [0.08, 0.12]" and pickle.loads(pickle.dumps(value)).interval == value.interval
    assert np.isnan(ropinn.TrainedValue(None))


def test_verdict_and_estimate_are_read_where_they_are(tmp_path):
    solution = ropinn.solve(heat(reference=None), out=tmp_path / "run", **SMALL)
    file = tmp_path / "run" / "result.json"
    result = json.loads(file.read_text())
    result["verdict"] = {"word": "doubtful", "reasons": ["because"]}
    result["estimated_error"] = {"relative": 0.25, "unexplained": 0.1}
    file.write_text(json.dumps(result))
    again = ropinn.load(solution.path)
    assert (str(again.verdict), again.verdict.reasons, again.error) == ("doubtful", ["because"], 0.25)
    assert "doubtful; because" in repr(again)
    del result["verdict"], result["estimated_error"]
    file.write_text(json.dumps(result))
    assert ropinn.load(solution.path).verdict is None and ropinn.load(solution.path).error is None


def test_save_load_pickle_copy(wave, tmp_path):
    x, t = np.linspace(0, 1, 50), 0.3
    saved = ropinn.load(wave.save(tmp_path / "copy"))
    for again in [saved, pickle.loads(pickle.dumps(wave)), copy.copy(wave), copy.deepcopy(wave)]:
        assert np.array_equal(again(x, t), wave(x, t)) and again.result == wave.result
    with pytest.raises(ropinn.OptionError, match="exists already; choose another folder, replace the run with overwrite=True"):
        wave.save(tmp_path / "copy")
    wave.save(tmp_path / "copy", overwrite=True)
    with pytest.raises(ropinn.OptionError, match="is not the folder of a finished run: it has no config.toml"):
        ropinn.load(tmp_path)


def test_a_temporary_folder_goes_with_its_solution():
    solution = ropinn.solve("wave", **SMALL)
    path = solution.path
    assert path.is_dir()
    del solution
    assert not path.exists()


def test_pictures_and_html(wave, monkeypatch):
    page = wave._repr_html_()
    assert "<table>" in page and "data:image/png;base64," in page and "<script" not in page
    assert "rMSE" in repr(wave)
    figure = wave.plot()
    assert len(figure.axes) == 6  # three panels and their colours
    import sys

    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    picture = wave.plot()
    assert isinstance(picture, ropinn.Picture) and picture._repr_png_().startswith(b"\x89PNG")
    assert wave.picture("training") is not None and wave.picture("none") is None


def test_the_same_predictions_as_the_command_line(wave, cli, tmp_path):
    run = wave.save(tmp_path / "run")
    rng = np.random.default_rng(0)
    points = rng.random((40, 2))
    lines = "\n".join(",".join(map(repr, row)) for row in points.tolist())
    (tmp_path / "points.csv").write_text(f"x,t\n{lines}\n")
    said = cli("predict", run, "--points", tmp_path / "points.csv", "--want", "u, u_x").stdout
    table = np.loadtxt(said.splitlines()[1:], delimiter=",")
    x, t = points.T
    assert np.array_equal(table[:, 2], wave(x, t))
    assert np.allclose(table[:, 3], wave.derivative("u_x", x, t), rtol=1e-6)
