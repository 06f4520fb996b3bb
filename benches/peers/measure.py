"""Times evaluations and reports them in the same form for every peer."""

import json
import math
import os
import resource
import statistics
import time

import numpy as np

WARM_UP = 3
# A call that takes this many seconds is warmed up once and timed a few times only.
SLOW, SLOW_REPEAT = 5.0, 2


def limit_threads(count):
    """Confines this process to `count` cores; call before importing PyTorch or JAX, whose pools ask for the cores."""
    cores = sorted(os.sched_getaffinity(0))[:count]
    os.sched_setaffinity(0, cores)
    for variable in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "NPROC"):
        os.environ[variable] = str(count)


def time_evaluations(evaluate, repeat):
    """(milliseconds of each timed call, loss, gradient norm).

    `evaluate` returns the loss as a float and the gradient's tensors, once all work is finished.
    """
    start = time.perf_counter()
    evaluate()
    if time.perf_counter() - start > SLOW:
        repeat = min(repeat, SLOW_REPEAT)
    else:
        for _ in range(WARM_UP - 1):
            evaluate()
    milliseconds = []
    for _ in range(repeat):
        start = time.perf_counter()
        loss, gradient = evaluate()
        milliseconds.append(1e3 * (time.perf_counter() - start))
    # PyTorch gives None for a parameter the residual does not see (the last bias, when u itself does not occur).
    seen = [np.asarray(tensor, dtype=np.float64) for tensor in gradient if tensor is not None]
    norm = math.sqrt(sum(float(np.sum(tensor**2)) for tensor in seen))
    return milliseconds, loss, norm


def measure_variants(variants, repeat):
    """{variant: measurement} for {variant: evaluate}; one that fails is recorded as not supported, with the reason."""
    measured = {}
    for name, evaluate in variants.items():
        try:
            milliseconds, loss, norm = time_evaluations(evaluate, repeat)
        except Exception as error:  # a framework may refuse a transformation in many ways; the table must go on
            reason = str(error).strip().splitlines() or [type(error).__name__]
            measured[name] = {"supported": False, "reason": f"{type(error).__name__}: {reason[0][:200]}"}
            continue
        measured[name] = {
            "supported": True,
            "median_ms": statistics.median(milliseconds),
            "min_ms": min(milliseconds),
            "loss": loss,
            "gradient_norm": norm,
        }
    return measured


def report(peer, version, options, measured, instructions=None):
    """Prints the fastest variant, as JSON or in words; `instructions` are those the peer says it uses."""
    working = {name: result for name, result in measured.items() if result["supported"]}
    best = min(working, key=lambda name: working[name]["median_ms"], default=None)
    record = {
        "peer": peer,
        "version": version,
        "instructions": instructions,
        **{key: getattr(options, key) for key in ("problem", "model", "width", "depth", "points", "threads", "repeat")},
        "supported": best is not None,
        "variant": best,
        **({key: working[best][key] for key in ("median_ms", "min_ms", "loss", "gradient_norm")} if best else {}),
        "variants": measured,
        "peak_rss_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }
    if options.json:
        print(json.dumps(record))
        return
    size = f"{options.model} {options.width}x{options.depth}"
    print(f"{peer} {version}: {options.problem}, {size}, {options.points} points, {instructions or 'default'} instructions")
    for name, result in measured.items():
        if result["supported"]:
            numbers = f"loss {result['loss']:.6g}   |gradient| {result['gradient_norm']:.6g}"
            print(f"  {name:10} {result['median_ms']:10.2f} ms   {numbers}")
        else:
            print(f"  {name:10} not supported: {result['reason']}")
