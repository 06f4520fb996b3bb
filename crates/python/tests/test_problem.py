"""Problems: from keywords, arrays, functions and files, and back; every refusal in the words of the command line."""

import copy
import pickle

import numpy as np
import pytest
from conftest import SMALL, heat

import ropinn


def test_keywords_become_a_file_and_come_back():
    problem = heat(name="rod", title="A rod", constants={"k": 2}, definitions={"f": "k*x"})
    text = problem.to_toml()
    assert text.startswith('name = "rod"\ntitle = "A rod"\ncoordinates = { x = [0, 1], t = [0, 1] }\ntime = "t"\n')
    again = ropinn.Problem.from_toml(text, origin="rod")
    assert again == problem and again.to_toml() == text
    assert (problem.coordinates, problem.time, problem.unknowns) == ({"x": (0, 1), "t": (0, 1)}, "t", ["u"])
    assert problem.equations == ["heat"] and problem.has_reference and problem.trainable == {}
    assert repr(problem) == "<ropinn.Problem rod: u of x, t>"


def test_texts_that_need_other_quotes():
    for title in ['say "u"', "it's", "both \" and '", "back\\slash", "a\ttab"]:
        if "\t" in title:
            with pytest.raises(ropinn.ProblemError, match="a text without control characters"):
                heat(title=title)
        else:
            assert heat(title=title).title == title


def test_files_both_ways(tmp_path):
    problem = heat()
    path = problem.save(tmp_path / "heat.toml")
    assert ropinn.Problem.load(path).to_toml() == problem.to_toml()
    with pytest.raises(ropinn.OptionError, match="exists already; choose another name, or replace it with overwrite=True"):
        problem.save(path)
    problem.save(path, overwrite=True)
    assert ropinn.Problem.load(str(path)).name == "problem"


def test_built_in_problems():
    assert "burgers-1d" in ropinn.problems.names() and "burgers_1d" in dir(ropinn.problems)
    assert ropinn.problems.burgers_1d().name == "burgers-1d"
    assert ropinn.problems.wave() == ropinn.Problem.builtin("wave")
    with pytest.raises(AttributeError, match=r"no built-in problem is named `wve` \(did you mean `wave`\?\)"):
        ropinn.problems.wve
    with pytest.raises(ropinn.ProblemError, match=r"no built-in problem is named `wve` \(did you mean `wave`\?\); built in are"):
        ropinn.Problem.builtin("wve")


def test_variants_and_other_numbers_for_tables(tmp_path):
    corrected = ropinn.problems.wave_2d_ms(variant="corrected")
    assert corrected.name == "wave-2d-ms-corrected" and corrected.has_reference
    assert corrected == ropinn.Problem.builtin("wave-2d-ms:corrected") == ropinn.Problem.builtin("wave-2d-ms", variant="corrected")
    again = pickle.loads(pickle.dumps(corrected))
    assert again == corrected and again._native.builtin_name == "wave-2d-ms"
    with pytest.raises(ropinn.ProblemError, match="the problem has no variant `corrected`; its variants are: none"):
        ropinn.problems.wave(variant="corrected")

    text = heat(tables={"a": {"axes": {"x": [0, 1]}, "values": [1, 2]}}, equations={"heat": "u_t - a*u_xx"}).to_toml()
    file = tmp_path / "bar.toml"
    file.write_text(text)
    numbers = tmp_path / "a.dat"
    numbers.write_text("% other numbers\n3 4\n")
    from_file = ropinn.Problem.load(file, table={"a": numbers})
    assert from_file == ropinn.Problem.load(file, table={"a": np.array([3.0, 4.0])}) != ropinn.Problem.load(file)
    with pytest.raises(ropinn.ProblemError, match="3 numbers"):
        ropinn.Problem.load(file, table={"a": [1, 2, 3]})
    with pytest.raises(ropinn.OptionError, match='table must be a dictionary such as {"a": array}'):
        ropinn.Problem.load(file, table=[3, 4])

    solution = ropinn.solve(file, table={"a": [3, 4]}, **SMALL)
    assert solution.problem.to_toml() == from_file.to_toml()
    with pytest.raises(ropinn.OptionError, match="variant and table are chosen where a problem is opened"):
        ropinn.solve(corrected, variant="corrected")
    with pytest.raises(ropinn.Error, match="which is a complete configuration; name the problem instead"):
        ropinn.solve(solution.path, variant="corrected")


def test_geometry_exact_conditions_points_and_trainables():
    problem = ropinn.Problem(
        coordinates={"x": (-1, 1), "y": (-1, 1)},
        unknowns=["u", "v"],
        equations={"a": {"residual": "u_xx + u_yy - k*v", "weight": 2}, "b": "v - u"},
        trainable={"k": 0.5},
        geometry={"shape": {"disk": {"center": [0, 0], "radius": 1}}, "minus": [{"disk": {"center": [0, 0], "radius": 0.2}}]},
        conditions=[
            ropinn.dirichlet("boundary", {"u": 0, "v": "x"}, points="sobol:64"),
            ropinn.robin("hole 1", "1 - u", unknown="u", weight=3.0, name="rim"),
        ],
        points={"interior": "hammersley:500"},
        evaluation="halton:200",
    )
    assert problem.trainable == {"k": 0.5}
    assert 'points = { layout = "sobol", count = 64 }' in problem.to_toml()
    assert len(problem.evaluation()["x"]) == 200
    exact = heat(conditions=[ropinn.initial("sin(pi*x)", exact=True), ropinn.dirichlet("boundary", 0, exact=True)])
    assert "exact = true" in exact.to_toml()


def test_readings_from_arrays_are_copied():
    x, t = np.meshgrid(np.linspace(0, 1, 5), [0.2, 0.4])
    u = np.sin(np.pi * x)
    problem = heat(conditions=[ropinn.data(x=x, t=t, u=u), ropinn.data({"u_x": 0.0}, x=[0.5, 0.6], t=0.1, name="slopes")])
    assert 'file = "data.csv"' in problem.to_toml() and 'file = "data-2.csv"' in problem.to_toml()
    files = problem._native.files()
    u[:] = 7
    assert files["data.csv"].splitlines()[:3] == ["x,t,u", "0.0,0.2,0.0", "0.25,0.2,0.7071067811865475"]
    assert files["data-2.csv"] == "u_x,x,t\n0.0,0.5,0.1\n0.0,0.6,0.1\n".replace("u_x,x,t", "x,t,u_x").replace(
        "0.0,0.5,0.1", "0.5,0.1,0.0"
    ).replace("0.0,0.6,0.1", "0.6,0.1,0.0")


def test_readings_that_make_no_sense():
    with pytest.raises(ropinn.ProblemError, match=r"the columns do not fit together: their shapes are x \(2,\), u \(3,\)"):
        ropinn.data(x=[0, 1], u=[1, 2, 3])
    with pytest.raises(ropinn.ProblemError, match="the columns x, u must be arrays of numbers"):
        ropinn.data(x=["a"], u=[1])
    with pytest.raises(ropinn.ProblemError, match="`data.csv` has no value of `u` in any row"):
        heat(conditions=[ropinn.data(x=[0.5], t=[0.5], u=[np.nan])])
    with pytest.raises(ropinn.ProblemError, match="`data.csv` line 1: there is no column `t`; its columns are: x, u"):
        heat(conditions=[ropinn.data(x=[0.5], u=[1])])


def test_coefficients_from_arrays():
    xs, ts = np.linspace(0, 1, 3), np.linspace(0, 1, 2)
    table = {"axes": {"x": xs, "t": ts}, "values": np.arange(6.0).reshape(3, 2)}
    problem = heat(tables={"a": table}, equations={"heat": "u_t - a*u_xx"})
    assert problem._native.files()["table-a.csv"].splitlines()[2] == "0.0,1.0,1.0"
    inline = heat(tables={"a": {"axes": {"x": [0, 1]}, "values": [1, 2]}}, equations={"heat": "u_t - a*u_xx"})
    assert "values = [1, 2]" in inline.to_toml()
    with pytest.raises(ropinn.ProblemError, match=r"table `a`: the values have the shape \(6,\), the axes x, t have \(3, 2\)"):
        heat(tables={"a": {**table, "values": np.arange(6.0)}})


def test_references_from_arrays_and_functions():
    exact = lambda x, t: np.exp(-0.1 * np.pi**2 * t) * np.sin(np.pi * x)
    calls = []

    def reference(x, t):
        calls.append(x.shape)
        return exact(x, t)

    closed, called = heat(), heat(reference=reference)
    assert calls == [(len(closed.evaluation()["x"]),)]
    assert np.allclose(called.evaluation()["u"], closed.evaluation()["u"], atol=1e-14)
    x, t = np.meshgrid(np.linspace(0, 1, 4), [0.0, 1.0])
    tabled = heat(reference={"x": x, "t": t, "u": exact(x, t)})
    assert len(tabled.evaluation()["u"]) == 8
    each = heat(reference={"u": reference})
    assert np.array_equal(each.evaluation()["u"], called.evaluation()["u"])
    with pytest.raises(ropinn.ProblemError, match="the reference gives 2 values for the unknowns u"):
        heat(reference=lambda x, t: (x, t))
    with pytest.raises(ZeroDivisionError):
        heat(reference=lambda x, t: 1 / 0)


def test_mistakes_are_pointed_at():
    with pytest.raises(ropinn.ProblemError) as caught:
        heat(equations={"heat": "u_t - nu*u_xx"}, constants={"nuu": 1})
    message = str(caught.value)
    assert "problem:10:" in message and "unknown symbol `nu`" in message and "did you mean `nuu`?" in message, message
    assert "^" in message and 'heat = "u_t - nu*u_xx"' in message, message
    assert (caught.value.line, isinstance(caught.value, ValueError)) == (10, True)
    assert caught.value.column == len('heat = "u_t - n')


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"equatons": {}}, "unknown key `equatons` in the problem (did you mean `equations`?); its keys are: name, title"),
        ({"coordinates": None}, "the problem needs `coordinates`, for example: coordinates = { x = [0, 1], t = [0, 1] }"),
        (
            {"coordinates": {"x": (1, 0), "t": (0, 1)}},
            "coordinate `x` runs from 1 to 0; the first number must be the smaller one",
        ),
        ({"time": "x"}, "time `x` must be the last coordinate; the coordinates are: x, t"),
        ({"conditions": [ropinn.dirichlet("bottom", 0)]}, "the domain has no place `bottom`"),
        ({"conditions": [{"kind": "inital", "value": 0}]}, "`inital` is not a kind of condition (did you mean `initial`?)"),
        ({"conditions": [ropinn.initial("sin(pi*z)")]}, "unknown symbol `z`"),
        ({"conditions": ropinn.initial(1)}, "conditions must be a list of conditions"),
        ({"points": {"interior": "grid:11xa"}}, 'must be a whole number above zero, found the text "a"'),
        ({"equations": {"heat": object()}}, "`heat` cannot be said in a problem"),
        ({"reference": {"v": 1}}, "no unknown is named `v` (unknowns: u)"),
        ({"conditions": [{"kind": "data", "file": "../x.csv"}]}, "is not in the folder of the problem file or below it"),
    ],
)
def test_every_refusal_has_its_words(change, words):
    with pytest.raises(ropinn.ProblemError) as caught:
        heat(**change)
    assert words in str(caught.value), str(caught.value)


def test_the_same_words_as_the_command_line(cli, tmp_path):
    text = heat().to_toml().replace("u_xx", "u_xz")
    (tmp_path / "heat.toml").write_text(text)
    said = cli("solve", "heat.toml", check=False, cwd=tmp_path).stderr
    with pytest.raises(ropinn.ProblemError) as caught:
        ropinn.Problem.from_toml(text, origin="heat.toml")
    assert str(caught.value) in said, said


def test_pickle_and_copy():
    for problem in [heat(conditions=[ropinn.data(x=[0.5], t=[0.5], u=[1])]), ropinn.problems.wave()]:
        for again in [pickle.loads(pickle.dumps(problem)), copy.copy(problem), copy.deepcopy(problem)]:
            assert again == problem and hash(again) == hash(problem)
            assert again._native.builtin_name == problem._native.builtin_name
    assert heat() != ropinn.problems.wave()


def test_a_problem_with_arrays_leaves_a_folder_that_stands_alone(tmp_path, cli):
    x = np.linspace(0.1, 0.9, 9)
    problem = heat(
        conditions=[ropinn.initial("sin(pi*x)"), ropinn.dirichlet("boundary", 0), ropinn.data(x=x, t=0.3, u=np.sin(np.pi * x))],
        reference=lambda x, t: np.exp(-0.1 * np.pi**2 * t) * np.sin(np.pi * x),
    )
    solution = ropinn.solve(problem, out=tmp_path / "run", **{**SMALL, "set": {"points.interior": "grid:11x11"}})
    assert sorted(file.name for file in (tmp_path / "run" / "inputs").iterdir()) == ["data.csv", "reference.csv"]
    assert solution.rmse is not None and "term data" in solution.history
    report = cli("evaluate", tmp_path / "run", "--json").stdout
    assert '"rmse"' in report
    assert solution.problem._native.files() == problem._native.files()
