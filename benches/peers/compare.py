"""ropinn beside PyTorch (eager and compiled) and JAX: milliseconds of one loss and gradient, same term, same cores.

    benches/peers/compare [--quick] [--network 512x3] [--problem wave] [--rounds 3] [--output runs/peers.json]
    benches/peers/compare --models [--network kan-2-5-1] [--simd avx2]

Contestants run one at a time and in turn (ours, torch, jax, ours, ...), each in a fresh process, and the median over
the rounds counts, so that a noisy machine disturbs all alike. Each peer tries all its variants in the first round and
keeps the fastest. Peers start from equal weights and points and must agree on loss and gradient norm. A ratio is
ours / theirs: below 1 we are faster. `target` is what we want of ours / torch-eager on a processor with AVX-512.

`--models` adds the other models and leaves PyTorch eager as the only peer, as only it has them; it is timed once its derivatives
agree with the golden values that ropinn's tests hold too. `--simd avx2` holds both sides to AVX2, where every ratio should be
0.75 at most.
"""

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PEERS = ("torch-eager", "torch-compile", "jax")
# name: what `--model`, `--width` and `--depth` say, then the target per problem
NETWORKS = {
    "512x3": (("pinn", 512, 3), {"reaction": 0.60, "convection": 0.48, "wave": 0.36}),
    "100x5": (("pinn", 100, 5), {"reaction": 0.40, "convection": 0.35, "wave": 0.20}),
    "64x3": (("pinn", 64, 3), {"reaction": 0.33, "convection": 0.30, "wave": 0.18}),
}
MODELS = {
    "qres-256x4": (("qres", 256, 4), {"reaction": 0.55, "wave": 0.25}),
    "kan-2-5-1": (("kan", 5, 1), {"reaction": 0.20, "wave": 0.12}),
    "pinnsformer-32": (("pinnsformer", 32, 1), {"reaction": 0.35, "wave": 0.25}),
}
AVX2_TARGET = 0.75
# What holds each library to an instruction set. MKL has no such switch on processors that are not Intel's: there it chooses AVX2.
SIMD = {
    "avx512": {"ROPINN_SIMD": "avx512"},
    "avx2": {
        "ROPINN_SIMD": "avx2",
        "ATEN_CPU_CAPABILITY": "avx2",
        "ONEDNN_MAX_CPU_ISA": "AVX2",
        "MKL_ENABLE_INSTRUCTIONS": "AVX2",
        "XLA_FLAGS": "--xla_cpu_max_isa=AVX2",
    },
}


def command(contestant, case, repeat, variant):
    """The command line that measures one contestant."""
    options = ["--json"]
    for key in ("problem", "model", "width", "depth", "points", "threads"):
        options += [f"--{key}", str(case[key])]
    if contestant == "ropinn":
        return ["cargo", "run", "--release", "-q", "--", "perf", *options]
    options += ["--repeat", str(repeat)]
    if variant and contestant != "torch-eager":
        options += ["--variant", variant]
    if contestant == "jax":
        return [sys.executable, "-W", "ignore", str(HERE / "jax_peer.py"), *options]
    mode = contestant.removeprefix("torch-")
    return [sys.executable, "-W", "ignore", str(HERE / "torch_peer.py"), "--mode", mode, *options]


def run(contestant, case, options, variant):
    """The contestant's JSON record, or {"supported": False, "reason": ...}."""
    arguments, timeout = command(contestant, case, options.repeat, variant), options.timeout
    environment = os.environ | SIMD.get(options.simd, {})
    try:
        finished = subprocess.run(arguments, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=timeout)
        if finished.returncode != 0:
            lines = finished.stderr.strip().splitlines() or [f"exit code {finished.returncode}"]
            return {"supported": False, "reason": lines[-1]}
        record = json.loads(finished.stdout)
    except subprocess.TimeoutExpired:
        return {"supported": False, "reason": f"no answer within {timeout} s"}
    except json.JSONDecodeError:
        return {"supported": False, "reason": "did not print JSON"}
    record = record[0] if isinstance(record, list) else record
    return {"supported": True} | record


def measure(case, options):
    """{contestant: summary} after all rounds."""
    summary = {}
    for round_ in range(options.rounds):
        for contestant in ("ropinn", *options.peers):
            known = summary.get(contestant)
            if known and not known["supported"]:
                continue
            record = run(contestant, case, options, known and known.get("variant"))
            print(f"  round {round_ + 1}, {contestant}: {words(record)}", file=sys.stderr, flush=True)
            if known is None or not record["supported"]:
                summary[contestant] = record | {"rounds_ms": []}
            if record["supported"]:
                times = summary[contestant]["rounds_ms"]
                times.append(record["median_ms"])
                summary[contestant]["median_ms"] = statistics.median(times)
    check_agreement(summary)
    check_instructions(summary, options.simd)
    return summary


def words(record):
    return f"{record['median_ms']:.2f} ms" if record["supported"] else f"not supported ({record['reason']})"


def check_agreement(summary):
    """Peers computed the same thing: a fast wrong gradient would be worthless. Float32 leaves about 1e-4."""
    for quantity in ("loss", "gradient_norm"):
        values = {name: record[quantity] for name, record in summary.items() if name in PEERS and record["supported"]}
        if values and max(values.values()) - min(values.values()) > 1e-3 * max(values.values()):
            sys.exit(f"compare: the peers disagree on {quantity}: {values}")


def check_instructions(summary, simd):
    """Nobody used wider instructions than asked for, as far as they tell."""
    for name, record in summary.items():
        used = (record.get("instructions") or "").lower()
        if simd and used and used != simd:
            sys.exit(f"compare: {name} was held to {simd} and used {used}")


def ratio(summary, peer):
    """ours / theirs, or None."""
    ours, theirs = summary["ropinn"], summary[peer]
    return ours["median_ms"] / theirs["median_ms"] if ours["supported"] and theirs["supported"] else None


def table(rows, peers):
    """Aligned text: milliseconds, ratios, target, verdict."""
    head = ["network", "problem", "ropinn ms", *(f"{p} ms" for p in peers), *(f"/{p}" for p in peers), "target", "met"]
    lines = [head]
    for row in rows:
        summary = row["results"]
        times = [f"{summary[c]['median_ms']:.1f}" if summary[c]["supported"] else "n/a" for c in ("ropinn", *peers)]
        ratios = [row["ratios"][peer] for peer in peers]
        met = "n/a" if ratios[0] is None else "yes" if ratios[0] <= row["target"] else "no"
        shown = ["n/a" if r is None else f"{r:.2f}" for r in ratios]
        lines.append([row["network"], row["case"]["problem"], *times, *shown, f"<= {row['target']:.2f}", met])
    widths = [max(len(line[column]) for line in lines) for column in range(len(head))]
    return "\n".join("  ".join(cell.rjust(width) for cell, width in zip(line, widths)) for line in lines)


def processor():
    """The CPU's name and its widest instruction set, as Linux tells them."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor(), "unknown"
    facts = {key.strip(): value.strip() for key, _, value in (line.partition(":") for line in lines)}
    flags = facts.get("flags", "").split()
    widest = next((name for flag, name in (("avx512f", "avx512"), ("avx2", "avx2")) if flag in flags), "baseline")
    return facts.get("model name", platform.machine()), widest


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="network 100x5 unless named, one round")
    parser.add_argument("--models", action="store_true", help="all models, beside PyTorch eager")
    parser.add_argument("--network", choices=[*NETWORKS, *MODELS], action="append", help="only this one; may be repeated")
    parser.add_argument("--simd", choices=SIMD, help="hold both sides to this instruction set")
    parser.add_argument("--problem", choices=["reaction", "convection", "wave"], action="append")
    parser.add_argument("--rounds", type=int, help="default 3, or 1 with --quick")
    parser.add_argument("--repeat", type=int, default=10, help="timed evaluations of a peer per round")
    parser.add_argument("--points", type=int, default=10201)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--timeout", type=int, default=900, help="seconds for one contestant in one round")
    parser.add_argument("--output", type=Path, default=ROOT / "runs" / "peers.json")
    options = parser.parse_args()
    if options.quick and not options.network:
        options.network = ["100x5"]
    options.rounds = options.rounds or (1 if options.quick else 3)
    networks = NETWORKS | (MODELS if options.models else {})
    if beyond := [name for name in options.network or [] if name not in networks]:
        parser.error(f"--network {beyond[0]} needs --models")
    options.peers = ("torch-eager",) if options.models else PEERS
    name, widest = processor()
    if options.simd == "avx512" and widest != "avx512":
        parser.error(f"{name} has no AVX-512")
    simd = options.simd or widest
    print(f"{name}, {os.cpu_count()} cores, {simd}; {options.threads} threads, {options.points} points, float32\n")

    load = os.getloadavg()[0]
    if load > 0.5:
        # PyTorch's threads wait for each other by spinning: beside other work its times grow manyfold.
        print(f"compare: load average is {load:.1f}; ratios mean nothing unless the machine is idle", file=sys.stderr)
    # Building inside the first measurement would hit its timeout; `run` reports the failure if this one fails.
    subprocess.run(["cargo", "build", "--release", "-q"], cwd=ROOT, check=False)
    rows = []
    for network in options.network or networks:
        (model, width, depth), targets = networks[network]
        for problem in (p for p in options.problem or targets if p in targets):
            case = {"problem": problem, "model": model, "width": width, "depth": depth}
            case |= {"points": options.points, "threads": options.threads}
            print(f"{network} {problem}", file=sys.stderr)
            results = measure(case, options)
            ratios = {peer: ratio(results, peer) for peer in options.peers}
            target = AVX2_TARGET if simd == "avx2" else targets[problem]
            rows.append({"network": network, "case": case, "target": target, "ratios": ratios, "results": results})
    print(table(rows, options.peers))
    machine = {"processor": name, "cores": os.cpu_count(), "instructions": simd, "system": platform.platform()}
    machine["load_before"] = load
    options.output.parent.mkdir(parents=True, exist_ok=True)
    options.output.write_text(json.dumps({"machine": machine, "rows": rows}, indent=1) + "\n")
    print(f"\n{options.output}")


if __name__ == "__main__":
    main()
