"""Manners: signals, threads, forks, references, silence."""

import gc
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
import tracemalloc

import numpy as np
import pytest
from conftest import SMALL, heat

import ropinn


def script(text, **options):
    words = [sys.executable, "-c", textwrap.dedent(text)]
    return subprocess.run(words, capture_output=True, text=True, timeout=120, **options)


def test_ctrl_c_keeps_the_best_weights(tmp_path):
    text = f"""
        import ropinn
        started = lambda step: print("step", step.iteration, flush=True) if step.iteration == 1 else None
        try:
            ropinn.solve("wave", out={os.fspath(tmp_path / "run")!r}, strategy="plain", optimizer="adam 1000000", callback=started)
        except KeyboardInterrupt as error:
            assert type(error) is KeyboardInterrupt
            print("interrupted", error.solution.result["interrupted"], error.solution(0.5, 0.5) == error.solution(0.5, 0.5))
    """
    process = subprocess.Popen([sys.executable, "-c", textwrap.dedent(text)], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "step 1\n"
    process.send_signal(signal.SIGINT)
    began = time.monotonic()
    said, _ = process.communicate(timeout=300)
    assert said == "interrupted True True\n" and process.returncode == 0
    assert time.monotonic() - began < 20
    assert ropinn.load(tmp_path / "run").result["interrupted"]


def test_ctrl_c_without_a_callback_and_uncaught():
    text = """
        import os, signal, threading, ropinn
        threading.Timer(1.0, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        ropinn.solve("wave", strategy="plain", optimizer="adam 1000000")
    """
    done = script(text)
    assert done.returncode in (-signal.SIGINT, 130) and done.stderr.rstrip().endswith("KeyboardInterrupt"), done.stderr
    assert done.stdout == ""


def test_nothing_is_printed_unless_asked():
    quiet = script('import ropinn; ropinn.solve("wave", width=4, depth=1, iterations=2)')
    assert (quiet.stdout, quiet.stderr, quiet.returncode) == ("", "", 0)
    asked = script('import ropinn; ropinn.solve("wave", width=4, depth=1, iterations=2, progress=True)')
    assert asked.stdout == "" and "loss" in asked.stderr


def test_other_threads_go_on_while_one_trains():
    counted = 0
    done = threading.Event()

    def count():
        nonlocal counted
        while not done.is_set():
            counted += 1
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    ropinn.solve("wave", strategy="plain", optimizer="adam 1000000", max_seconds=1.0, progress=False)
    done.set()
    thread.join()
    assert counted > 100, counted


def test_two_solves_in_two_threads_have_the_bits_of_one():
    alone = [ropinn.solve("wave", seed=seed, **SMALL) for seed in (0, 1)]
    found = {}

    def work(seed):
        found[seed] = ropinn.solve("wave", seed=seed, **SMALL)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in (0, 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for seed in (0, 1):
        assert all(np.array_equal(found[seed].weights[name], tensor) for name, tensor in alone[seed].weights.items())


def test_one_solution_and_one_objective_in_many_threads(wave):
    x = np.linspace(0, 1, 5000)
    expected = wave(x, 0.3)
    objective = ropinn.Objective(heat(), "pinn", width=6, depth=1, set={"points.interior": "grid:9x9"})
    theta = objective.initial()
    value = objective.value(theta)
    wrong = []

    def work():
        for _ in range(20):
            if not np.array_equal(wave(x, 0.3), expected) or objective.value(theta) != value:
                wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_a_forked_child_is_told_instead_of_hanging():
    text = """
        import os, sys, ropinn
        small = {"width": 4, "depth": 1, "iterations": 2}
        solution = ropinn.solve("wave", **small)
        objective = ropinn.Objective("wave", "pinn", width=4, depth=1)
        solution(0.5, 0.5)
        child = os.fork()
        if child == 0:
            said = 0
            for call in [
                lambda: solution(0.5, 0.5),
                lambda: objective.value(objective.initial()),
                lambda: ropinn.solve("wave", **small),
                lambda: ropinn.evaluate(solution),
            ]:
                try:
                    call()
                except ropinn.ForkError as error:
                    said += "threads do not survive a fork" in str(error) and "spawn" in str(error)
            os._exit(said)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), solution(0.5, 0.5) is not None)
    """
    done = script(text)
    assert done.stdout == "4 True\n", (done.stdout, done.stderr)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_a_child_that_uses_it_first_may():
    text = """
        import os, ropinn
        child = os.fork()
        if child == 0:
            ropinn.solve("wave", width=4, depth=1, iterations=2)
            os._exit(7)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    """
    assert script(text).stdout == "7\n"


def test_spawned_processes_work(wave):
    text = """
        import multiprocessing, ropinn
        def rmse(seed):
            return ropinn.solve("wave", seed=seed, width=4, depth=1, iterations=2, threads=1).rmse
        if __name__ == "__main__":
            with multiprocessing.get_context("spawn").Pool(2) as pool:
                print(len(set(pool.map(rmse, [0, 1]))))
    """
    import tempfile

    with tempfile.TemporaryDirectory() as here:
        file = os.path.join(here, "spawned.py")
        with open(file, "w") as out:
            out.write(textwrap.dedent(text))
        done = subprocess.run([sys.executable, file], capture_output=True, text=True, timeout=120)
    assert done.stdout == "2\n", done.stderr


def test_nothing_leaks_over_a_thousand_calls(wave):
    objective = ropinn.Objective(heat(), "pinn", width=4, depth=1, set={"points.interior": "grid:5x5"})
    x, theta = np.linspace(0, 1, 100), objective.initial()
    handed_out = []

    def calls():
        values = wave(x, 0.5)
        wave.derivative("u_x", x, 0.5)
        wave.residual(x, t=0.5)
        gradient = objective.value_and_grad(theta)[1]
        try:
            wave(x)
        except ropinn.OptionError:
            pass
        handed_out[:] = [values, gradient]

    calls()
    gc.collect()
    before = [sys.getrefcount(thing) for thing in (x, theta, wave, wave._run, objective, objective._native)]
    tracemalloc.start()
    for _ in range(50):
        calls()
    gc.collect()
    at_first = tracemalloc.get_traced_memory()[0]
    for _ in range(950):
        calls()
    gc.collect()
    grown = tracemalloc.get_traced_memory()[0] - at_first
    tracemalloc.stop()
    assert [sys.getrefcount(thing) for thing in (x, theta, wave, wave._run, objective, objective._native)] == before
    # The list and the call itself.
    assert [sys.getrefcount(handed_out[k]) for k in range(2)] == [2, 2]
    assert grown < 100_000, grown


def test_inputs_may_change_while_something_is_computed(wave):
    x, t = np.linspace(0, 1, 200_000), np.zeros(200_000)
    expected = wave(x, t)
    done = threading.Event()

    def scribble(array):
        while not done.is_set():
            array[:] = 0.5
            array[:] = np.linspace(0, 1, array.size)

    copy = x.copy()
    thread = threading.Thread(target=scribble, args=(copy,))
    thread.start()
    results = [wave(copy, t) for _ in range(5)]
    done.set()
    thread.join()
    # Whatever was in the array when it was copied: values of the solution, never garbage.
    low, high = expected.min() - 1e-6, expected.max() + 1e-6
    assert all(((result >= low) & (result <= high)).all() for result in results)
