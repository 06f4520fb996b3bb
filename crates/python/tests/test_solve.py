"""`solve` and its kin: the same bits as the command line, options checked, callbacks, several seeds."""

import filecmp
import json

import numpy as np
import pytest
from conftest import SMALL, SMALL_FLAGS, heat

import ropinn


@pytest.mark.parametrize(
    "options", [{}, {"strategy": "plain", "objective": "region", "model": "qres"}, {"optimizer": "adam 20 then lbfgs 5"}]
)
def test_the_same_bits_as_the_command_line(cli, tmp_path, options):
    small = {key: value for key, value in SMALL.items() if key != "iterations" or "optimizer" not in options}
    flags = [flag for key, value in options.items() for flag in (f"--{key}", value)]
    base = SMALL_FLAGS if "optimizer" not in options else SMALL_FLAGS[:4] + SMALL_FLAGS[6:]
    cli("solve", "wave", "--seed", 3, "--out", tmp_path / "cli", *base, *flags)
    ropinn.solve("wave", seed=3, out=tmp_path / "python", **small, **options)
    for file in ["model.safetensors", "config.toml", "prediction.csv", "prediction.npy"]:
        assert filecmp.cmp(tmp_path / "cli" / file, tmp_path / "python" / file, shallow=False), file


def test_the_same_bits_of_a_problem_of_ones_own(cli, tmp_path):
    problem = heat(name="rod")
    problem.save(tmp_path / "rod.toml")
    cli("solve", "rod.toml", "--out", "cli", *SMALL_FLAGS, cwd=tmp_path)
    solution = ropinn.solve(problem, threads=1, **SMALL)
    assert filecmp.cmp(tmp_path / "cli" / "model.safetensors", solution.weights_path, shallow=False)


def test_callbacks_see_logged_steps_and_may_stop():
    seen = []

    def callback(step):
        seen.append(step)
        return step.iteration < 6

    options = {**SMALL, "iterations": 20, "set": {**SMALL["set"], "log_every": 2}}
    solution = ropinn.solve("wave", strategy="plain", callback=callback, **options)
    assert [step.iteration for step in seen] == [2, 4, 6]
    assert solution.result["interrupted"] and solution.result["iterations"] == 6
    assert set(seen[0].terms) >= {"residual", "initial"} and seen[-1].loss == solution.history["loss"][-1]
    # None goes on.
    assert ropinn.solve("wave", callback=lambda step: None, **SMALL).result["iterations"] >= 5


def test_an_exception_of_a_callback_keeps_the_solution():
    class Mine(Exception):
        pass

    def callback(step):
        raise Mine("enough")

    with pytest.raises(Mine, match="enough") as caught:
        ropinn.solve("wave", callback=callback, **SMALL)
    assert caught.value.solution.result["interrupted"]
    assert np.isfinite(caught.value.solution(0.5, 0.5))


def test_resume_goes_on_to_the_same_bits(tmp_path):
    whole = ropinn.solve("wave", strategy="plain", out=tmp_path / "whole", **{**SMALL, "iterations": 12})
    stop = lambda step: step.iteration < 5
    part = ropinn.solve("wave", strategy="plain", out=tmp_path / "part", callback=stop, **{**SMALL, "iterations": 12})
    assert part.result["iterations"] == 5
    rest = ropinn.resume(part, progress=False)
    assert rest.result["iterations"] == 12
    assert filecmp.cmp(whole.weights_path, rest.weights_path, shallow=False)
    longer = ropinn.resume(tmp_path / "part", iterations=14, progress=False)
    assert longer.result["iterations"] == 14
    with pytest.raises(ropinn.OptionError, match="holds no run to go on with: there is no such folder"):
        ropinn.resume(tmp_path / "none")
    with pytest.raises(ropinn.OptionError, match="unknown option `iteratons` of resume .did you mean `iterations`?"):
        ropinn.resume(tmp_path / "part", iteratons=3)


def test_several_seeds(tmp_path):
    seeds = ropinn.solve("wave", seeds=range(3), success=2.0, out=tmp_path / "seeds", **SMALL)
    assert [solution.seed for solution in seeds] == [0, 1, 2] and len(seeds) == 3
    assert seeds.median["rmse"] == sorted(solution.rmse for solution in seeds)[1]
    assert (seeds.success_rate, seeds.solved) == (1.0, 3) and "3 of 3 solved" in repr(seeds)
    assert seeds.best.rmse == min(solution.rmse for solution in seeds) and "<table>" in seeds._repr_html_()
    again = ropinn.load(tmp_path / "seeds")
    assert again.summary == seeds.summary and len(again[1:]) == 2
    with pytest.raises(ropinn.OptionError, match="seed 1 is named twice in `1,1`; name it once"):
        ropinn.solve("wave", seeds=[1, 1])
    with pytest.raises(ropinn.OptionError, match="`4..1` does not name seeds"):
        ropinn.solve("wave", seeds="4..1")


def test_search_is_a_run_for_each_value():
    options = {key: value for key, value in SMALL.items() if key != "width"}
    found = ropinn.solve("wave", search={"model.width": [4, 8]}, **options)
    assert [found[width].weights["linear.0.weight"].shape[0] for width in (4, 8)] == [4, 8]


def test_starting_from_a_solution(wave):
    again = ropinn.solve("wave", init_from=wave, strategy="plain", **SMALL)
    assert again.history["loss"][0] < wave.history["loss"][0]


def test_evaluate(wave, cli, tmp_path):
    run = wave.save(tmp_path / "run")
    report = ropinn.evaluate(wave)
    assert report == json.loads(cli("evaluate", run, "--json").stdout)
    assert np.isclose(report["rmse"], wave.rmse)
    other = ropinn.evaluate(ropinn.problems.wave(), init_from=wave, set={"points.interior": "grid:5x5"})
    assert other["parameters"] == report["parameters"] and other["unweighted_loss"] != report["unweighted_loss"]
    with pytest.raises(ropinn.OptionError, match="is a problem and has no weights; name a run, or the weights with init_from"):
        ropinn.evaluate("wave")


def test_race(tmp_path):
    standings = ropinn.race(
        [ropinn.problems.wave(), heat(name="rod")], optimizers=["adam", "lbfgs"], objectives=["point"], seeds=[0], seconds=0.3,
        set={"model.width": 6, "points.interior": "grid:9x9", "points.evaluation": "grid:9x9"}, out=tmp_path / "race",
        progress=False,
    )  # fmt: skip
    assert [ranking["problem"] for ranking in standings["problems"]] == ["wave", "rod"]
    assert len(standings["problems"][0]["entrants"]) == 2 and "lbfgs" in repr(standings)
    with pytest.raises(ropinn.OptionError, match=r"`lbgfs` is not an optimiser \(did you mean `lbfgs`\?\)"):
        ropinn.race("wave", optimizers=["lbgfs"])


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"modle": "pinn"}, "unknown option `modle` of solve (did you mean `model`?); its options are: model, objective"),
        ({"model": "pin"}, "unknown model `pin`; did you mean `pinn`?"),
        ({"objective": "regin"}, "`regin` is not an objective (did you mean `region`?); choose one of: point, region"),
        ({"weighting": "nkt"}, "`nkt` is not a weighting (did you mean `ntk`?)"),
        ({"strategy": "autoo"}, "`autoo` is not a strategy (did you mean `auto`?)"),
        ({"precision": "f16"}, "`f16` is not a precision"),
        ({"preset": "papre"}, "unknown preset `papre`; choose `default` or `paper`"),
        ({"optimizer": "adm 100"}, "unknown optimiser `adm` in the phase `adm 100`"),
        ({"width": 0}, "width is 0; it must be at least 1"),
        ({"width": "wide"}, "width must be a whole number, found 'wide'"),
        ({"seed": -1}, "seed must be a whole number, found -1"),
        ({"seed": 0, "seeds": [1]}, "seed and seeds exclude each other; choose one of them"),
        ({"success": 0.1}, "success counts seeds, so it needs seeds"),
        ({"success": -1.0, "seeds": [0]}, "success is -1; it must be a positive number"),
        ({"max_seconds": -3}, "max_seconds"),
        ({"set": {"region.rr": 1}}, "region.rr"),
        ({"set": ["region.r=1"]}, 'set must be a dictionary such as {"region.r": 1e-5}'),
        ({"overwrite": True, "resume": True}, "overwrite and resume exclude each other"),
        ({"threads": 5000}, "5000"),
        ({"iterations": 5, "optimizer": "adam 1 then lbfgs 1"}, "iterations=5 does not say which of the phases"),
    ],
)
def test_every_refusal_has_its_words(options, words):
    with pytest.raises(ropinn.OptionError) as caught:
        ropinn.solve("wave", **options)
    assert words in str(caught.value), str(caught.value)


def test_targets_and_folders_that_are_refused(tmp_path):
    with pytest.raises(ropinn.ProblemError, match="no built-in problem is named `wve`"):
        ropinn.solve("wve")
    with pytest.raises(ropinn.OptionError, match="name a problem, a problem file or a run, or give a Problem; found 3"):
        ropinn.solve(3)
    ropinn.solve("wave", out=tmp_path / "run", **SMALL)
    with pytest.raises(ropinn.OptionError, match="exists already; choose another folder, replace the run with overwrite=True"):
        ropinn.solve("wave", out=tmp_path / "run", **SMALL)
    ropinn.solve("wave", out=tmp_path / "run", overwrite=True, **SMALL)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.tex").write_text("mine")
    with pytest.raises(ropinn.OptionError, match="exists and is not the folder of a run, so it is not overwritten"):
        ropinn.solve("wave", out=tmp_path / "mine", overwrite=True, **SMALL)


def test_doubts_are_warnings_or_refusals():
    vague = heat(conditions=[ropinn.initial("sin(pi*x)")])
    assert vague.doubts()
    with pytest.warns(ropinn.RopinnWarning) as told:
        ropinn.solve(vague, **SMALL)
    assert vague.doubts()[0] in [str(warning.message) for warning in told]
    with pytest.raises(ropinn.OptionError, match="the problem looks ill posed(.|\n)*without strict=True"):
        ropinn.solve(vague, strict=True, **SMALL)


def test_a_verdict_may_be_required():
    with pytest.raises(ropinn.VerdictError, match="is required") as caught:
        ropinn.solve("wave", require="trusted", **SMALL)
    assert caught.value.solution.verdict.word in ("doubtful", "wrong")
    with pytest.raises(ropinn.OptionError, match=r"`trustd` is not a verdict to require \(did you mean `trusted`\?\)"):
        ropinn.solve("wave", require="trustd", **SMALL)
    solution = ropinn.solve(heat(reference=None), require="doubtful", progress=False, max_seconds=20)
    assert solution.verdict.word == "trusted" and solution.error == solution.estimated_error["relative"] < 1e-3


def test_target_error_and_time(wave):
    early = ropinn.solve("wave", target_error=10.0, **SMALL)
    assert "10" in early.stop_reason and early.result["iterations"] <= 10
    timed = ropinn.solve("wave", max_seconds=0.5, progress=False)
    assert "time limit" in timed.stop_reason and timed.seconds < 10
