"""Reads what `ropinn export` writes with the programs it is for. `.ci/clients` runs it; ROPINN names the binary."""

import csv
import fcntl
import io
import json
import os
import pty
import select
import shlex
import struct
import subprocess
import sys
import tempfile
import termios
import time
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkIOXML import vtkXMLImageDataReader, vtkXMLUnstructuredGridReader
from vtkmodules.vtkFiltersVerdict import vtkCellSizeFilter

ROPINN = os.environ["ROPINN"]
TINY = "--quiet --threads 1 --width 6 --depth 2 --set points.interior=halton:40"

# Exact conditions with whatever a formula may have, periods, tables, pieces, in and cut out of space.
PROBLEMS = {
    "periodic": """
coordinates = { x = [0, 2], t = [0, 1] }
time = "t"
unknowns = ["u", "v"]
equations = { first = "u_t - v_x", second = "v_t - u_x" }
conditions = [
    { kind = "periodic", along = "x" },
    { kind = "initial", value = { u = "sin(pi*x)", v = "cos(pi*x)^2" }, exact = true },
]
""",
    "formulas": """
coordinates = { x = [0, 1], t = [0, 1] }
time = "t"
unknowns = ["u"]
[tables.a]
axes = { x = [0, 0.3, 1], t = [0, 0.5, 1] }
values = [[1, 2, 0.5], [3, 4, 1], [5, 6, -2]]
[tables.step]
axes = { t = [0, 0.25, 1] }
values = [1, 2, 3]
lookup = "nearest"
[equations]
heat = "u_t - 0.1*u_xx"
[[conditions]]
kind = "dirichlet"
at = "x = 0"
value = "where(t > 0.5 and t != 0.7, tanh(t) + a(t/2, t), sqrt(1 + t)*exp(-t)) + step(t)*min(t, 0.4) + max(t, 0.6)^2.5"
exact = true
[[conditions]]
kind = "dirichlet"
at = "x = 1"
value = "sinh(t) + cosh(t)/2 + tan(t/2) + atan(3*t) + erf(t) + log(1 + t) + abs(t - 0.5)"
exact = true
[[conditions]]
kind = "initial"
value = "0.2*x"
""",
    "disk": """
coordinates = { x = [-1, 1], y = [-1, 1] }
unknowns = ["u"]
equations = { poisson = "u_xx + u_yy + 1" }
geometry = { shape = { disk = { center = [0, 0], radius = 1 } }, minus = { disk = { center = [0.3, 0], radius = 0.25 } } }
conditions = [{ kind = "dirichlet", at = "boundary", value = "x" }]
""",
    "plate": """
coordinates = { x = [0, 2], y = [0, 1], t = [0, 1] }
time = "t"
unknowns = ["u"]
equations = { heat = "u_t - 0.1*u_xx - 0.1*u_yy" }
geometry = { minus = { disk = { center = [1, 0.5], radius = 0.3 } } }
conditions = [{ kind = "initial", value = "sin(x)*y" }, { kind = "dirichlet", at = "boundary", value = 0 }]
""",
    "cube": """
coordinates = { x = [0, 1], y = [0, 2], z = [-1, 1] }
unknowns = ["u"]
equations = { poisson = "u_xx + u_yy + u_zz + x" }
conditions = [{ kind = "dirichlet", at = "boundary", value = 0 }]
""",
    "ball": """
coordinates = { x = [-1, 1], y = [-1, 1], z = [-1, 1] }
unknowns = ["u"]
equations = { poisson = "u_xx + u_yy + u_zz + 1" }
geometry = { shape = { ball = { center = [0, 0, 0], radius = 1 } } }
conditions = [{ kind = "dirichlet", at = "boundary", value = "x*y" }]
""",
}

ONNX_RUNS = {
    **{kind: f"wave --model {kind} --iterations 3" for kind in ("pinn", "qres", "fls", "pinnsformer", "pinnsformer-encoder", "kan")},
    "features": "wave --model features --set model.count=60 --set model.layers=1",
    "polished": "wave --optimizer 'gauss-newton 5 then polish' --set phases.1.coefficients=90",
    "single": "wave --model pinn --precision f32 --iterations 3",
    "pieces": "wave --model pinn --set pieces=[0.3,0.6] --iterations 3",
    **{f"activation-{kind}": f"wave --model pinn --set model.activation={kind} --iterations 1"
       for kind in ("sigmoid", "sin", "cos", "silu", "gelu", "softplus", "exp", "gaussian", "identity")},
    "spline-degrees": "wave --model kan --set model.degree=5 --iterations 1",
    "periodic": "periodic.toml --iterations 3",
    "formulas": "formulas.toml --iterations 3",
    "disk": "disk.toml --iterations 3",
}


def ropinn(words):
    done = subprocess.run([ROPINN, *shlex.split(words)], capture_output=True, text=True)
    assert done.returncode == 0, f"ropinn {words}: {done.stderr}"
    return done.stdout


def solve(words, out):
    size = TINY.replace("--width 6 --depth 2", "") if "--model features" in words else TINY
    # The built-in problem has many points at which errors are measured.
    few = "--set points.evaluation=grid:9x9" if words.startswith("wave") else ""
    ropinn(f"solve {words} {size} {few} --out {out}")


def table(text):
    rows = list(csv.reader(io.StringIO(text)))
    return rows[0], np.array([[float(cell or "nan") for cell in row] for row in rows[1:]])


def predicted(run, names, points, want=None):
    """What `ropinn predict` says at points, a column for each quantity."""
    with open("points.csv", "w") as file:
        file.write(",".join(names) + "\n")
        file.writelines(",".join(repr(float(value)) for value in point) + "\n" for point in points)
    wanted = f" --want '{want}'" if want else ""
    head, rows = table(ropinn(f"predict {run} --points points.csv{wanted}"))
    return {name: rows[:, k] for k, name in enumerate(head) if name not in names}


def same(found, wanted, tolerance, what):
    assert found.shape == wanted.shape and len(wanted) > 0, (what, found.shape, wanted.shape)
    size = max(1.0, float(np.max(np.abs(wanted))))
    off = float(np.max(np.abs(found - wanted))) / size
    assert off <= tolerance, f"{what}: off by {off}"


def check_onnx():
    rng = np.random.default_rng(0)
    for name, words in ONNX_RUNS.items():
        run = f"onnx-{name}"
        solve(words, run)
        precision = json.loads(Path(run, "result.json").read_text())["precision"]
        for ends, number in (("", np.float32), (" --double", np.float64)):
            out = f"{run}{ends.strip()}.onnx"
            ropinn(f"export {run} --out {out}{ends}")
            model = onnx.load(out)
            onnx.checker.check_model(model, full_check=True)
            about = {entry.key: entry.value for entry in model.metadata_props}
            axes, unknowns = about["coordinates"].split(","), about["unknowns"].split(",")
            # Inside, at the edges, and a little beyond.
            low, high = ([0, 0], [2, 1]) if name == "periodic" else ([-1, -1], [1, 1]) if name == "disk" else ([0, 0], [1, 1])
            points = rng.uniform(np.subtract(low, 0.05), np.add(high, 0.05), size=(200, len(axes)))
            points[:4] = [[a, b] for a in (low[0], high[0]) for b in (low[1], high[1])]
            points = points.astype(number)
            if name == "formulas":
                # Beyond the interval log(1 + t) and sqrt are still defined; steps of tables and of `where` are not to be hit by rounding.
                points = points[np.min(np.abs(points[:, 1:2] - [0.5, 0.625, 0.125]), axis=1) > 1e-5]
            session = onnxruntime.InferenceSession(out, providers=["CPUExecutionProvider"])
            (port,) = session.get_inputs()
            found = session.run(None, {port.name: points})[0]
            assert port.name == "coordinates" and found.dtype == number, (port.name, found.dtype)
            wanted = predicted(run, axes, points.astype(np.float64))
            for k, unknown in enumerate(unknowns):
                # erf and atan are single precision everywhere: onnxruntime has no other. Coefficients of features are so large that the
                # last digit of every function counts.
                rough = ("activation-gelu", "formulas", "features", "polished")
                exact = number == np.float64 and precision == "f64" and name not in rough
                same(found[:, k].astype(np.float64), wanted[unknown], 1e-10 if exact else 1e-5, f"{out} {unknown}")
    print(f"onnx: {len(ONNX_RUNS)} runs")


def read_vtk(path):
    reader = vtkXMLImageDataReader() if path.suffix == ".vti" else vtkXMLUnstructuredGridReader()
    reader.SetFileName(str(path))
    reader.Update()
    grid = reader.GetOutput()
    points = np.array([grid.GetPoint(k) for k in range(grid.GetNumberOfPoints())])
    data = grid.GetPointData()
    return grid, points, {data.GetArrayName(k): vtk_to_numpy(data.GetArray(k)) for k in range(data.GetNumberOfArrays())}


def check_vtk():
    cases = [  # problem, run's options, file, axes of the file, grid, measure of the domain
        ("wave", "wave.pvd", ["x"], "21x5", None),
        ("wave", "wave.vti", ["x", "t"], "21x11", None),
        ("disk.toml", "disk.vtu", ["x", "y"], "41x41", np.pi * (1 - 0.25**2)),
        ("plate.toml", "plate.pvd", ["x", "y"], "31x31x3", 2 - np.pi * 0.09),
        ("plate.toml", "plate.vtu", ["x", "y", "t"], "31x31x5", 2 - np.pi * 0.09),
        ("cube.toml", "cube.vti", ["x", "y", "z"], "7x8x9", None),
        ("ball.toml", "ball.vtu", ["x", "y", "z"], "21x21x21", 4 / 3 * np.pi),
    ]
    for problem, out, axes, grid, measure in cases:
        run = "vtk-" + problem.split(".")[0]
        if not Path(run).exists():
            solve(f"{problem} --iterations 3", run)
        ropinn(f"export {run} --out {out} --grid {grid} --derivatives u_x,u_xx --no-estimate")
        out = Path(out)
        frames = [(None, out)]
        if out.suffix == ".pvd":
            sets = ElementTree.parse(out).getroot().iter("DataSet")
            frames = [(float(set.get("timestep")), out.parent / set.get("file")) for set in sets]
            assert len(frames) == int(grid.split("x")[-1]), out
        names = axes + (["t"] if out.suffix == ".pvd" else [])
        for instant, path in frames:
            shape, points, arrays = read_vtk(path)
            assert np.all(points[:, len(axes):] == 0)
            points = points[:, : len(axes)]
            if instant is not None:
                points = np.column_stack([points, np.full(len(points), instant)])
            wanted = predicted(run, names, points, "u,u_x,u_xx")
            for name, values in wanted.items():
                same(arrays[name], values, 1e-6, f"{path} {name}")
            # Residuals, too: where the equation has no other terms they are known from derivatives.
            if problem == "disk.toml":
                laplace = predicted(run, names, points, "u_xx + u_yy + 1")
                same(arrays["residual_poisson"], laplace["u_xx + u_yy + 1"], 1e-6, path)
            if measure is not None:
                sizes = vtkCellSizeFilter()
                sizes.SetInputData(shape)
                sizes.Update()
                cells = sizes.GetOutput().GetCellData()
                kind = "Area" if len(axes) == 2 else "Volume"
                found = vtk_to_numpy(cells.GetArray(kind))
                assert np.all(found > 0), f"{path}: a cell is turned the wrong way"
                assert abs(found.sum() / measure - 1) < 0.03, f"{path}: {found.sum()}, not {measure}"
    print(f"vtk: {len(cases)} exports")


def check_estimate():
    run = "estimated"
    ropinn(f"solve wave --quiet --threads 1 --strategy plain --optimizer 'gauss-newton 40' --width 12 --depth 2 --out {run}")
    ropinn(f"export {run} --out estimated.npz --grid 21x11")
    arrays = np.load("estimated.npz")
    assert arrays["u"].shape == (21, 11) and arrays["x"].shape == (21,) and arrays["t"].shape == (11,)
    x, t = np.meshgrid(arrays["x"], arrays["t"], indexing="ij")
    points = np.column_stack([x.ravel(), t.ravel()])
    same(arrays["u"].ravel(), predicted(run, ["x", "t"], points)["u"], 1e-12, "npz")
    exact = np.sin(np.pi * x) * np.cos(2 * np.pi * t) + np.sin(3 * np.pi * x) * np.cos(6 * np.pi * t) / 2
    true = np.sqrt(np.mean((arrays["u"] - exact) ** 2))
    estimated = np.sqrt(np.mean(arrays["error_u"] ** 2))
    assert 0.1 < estimated / true < 10, (estimated, true)
    ropinn(f"export {run} --out estimated.csv --grid 21x11 --no-estimate")
    head, rows = table(Path("estimated.csv").read_text())
    assert head[:3] == ["x", "t", "u"] and len(rows) == 21 * 11 and "error_u" not in head, head
    same(rows[:, 2], predicted(run, ["x", "t"], rows[:, :2])["u"], 1e-12, "csv")
    # Nodes outside a domain are NaN in arrays and not there in tables.
    ropinn("export vtk-disk --out disk.npz --grid 21x21")
    disk = np.load("disk.npz")
    outside = np.add.outer(disk["x"] ** 2, disk["y"] ** 2) > 1 + 1e-9
    assert np.isnan(disk["u"][outside]).all() and not np.isnan(disk["u"][5, 10])
    ropinn("export vtk-disk --out disk.csv --grid 21x21")
    assert len(table(Path("disk.csv").read_text())[1]) == np.sum(~np.isnan(disk["u"]))
    print("npz, csv, estimate")


def scalars(folder):
    events = EventAccumulator(str(folder), size_guidance={"scalars": 0})
    events.Reload()
    return {tag: events.Scalars(tag) for tag in events.Tags()["scalars"]}


def check_tensorboard():
    ropinn(f"solve wave {TINY} --optimizer 'adam 30' --tensorboard live --out events")
    ropinn("export events --tensorboard --out logs")
    head, rows = table(Path("events/metrics.csv").read_text())
    columns = {name: rows[:, k] for k, name in enumerate(head)}
    for folder in ("logs", "live"):
        found = scalars(folder)
        for tag, column in (("loss/total", "trained_loss"), ("loss/residual", "term residual"), ("training/grad_norm", "grad_norm"), ("error/rmse", "rmse")):
            measured = ~np.isnan(columns[column])
            assert [event.step for event in found[tag]] == list(columns["iteration"][measured].astype(int)), (folder, tag)
            values = np.array([event.value for event in found[tag]])
            assert np.allclose(values, columns[column][measured], rtol=1e-6), (folder, tag)
            times = [event.wall_time for event in found[tag]]
            assert times == sorted(times) and abs(times[-1] - time.time()) < 3600, (folder, tag)
    ropinn(f"solve wave {TINY} --seeds 0,1 --iterations 3 --tensorboard seeds --out seeds-run")
    assert sorted(path.name for path in Path("seeds").iterdir()) == ["seed-0", "seed-1"]
    assert len(scalars("seeds/seed-1")["loss/total"]) == 3
    print("tensorboard")


def check_watch():
    """`ropinn watch` in a terminal: drawn, resized, told by keys, and ended."""
    own, other = pty.openpty()
    resize = lambda rows, columns: fcntl.ioctl(other, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    resize(24, 80)
    before = termios.tcgetattr(other)
    child = subprocess.Popen([ROPINN, "watch", "events"], stdin=other, stdout=other, stderr=other, env={**os.environ, "TERM": "xterm-256color"})

    def screen(until, seconds=30):
        text, end = "", time.time() + seconds
        while time.time() < end:
            if select.select([own], [], [], 0.1)[0]:
                text += os.read(own, 1 << 16).decode(errors="replace")
                if until(text):
                    return text
        raise AssertionError(f"not seen: {text[-2000:]}")

    seen = screen(lambda text: "q: end" in text)
    assert "[loss]" in seen and any("\u2800" < sign <= "\u28ff" for sign in seen)
    os.write(own, b"\t")
    screen(lambda text: "[error]" in text)
    os.write(own, b"x")
    screen(lambda text: "seconds" in text)
    resize(40, 120)
    page = lambda text: [part for part in text.split("\x1b[H")[1:-1] if part]
    screen(lambda text: any(part.count("\r\n") >= 35 for part in page(text)))
    os.write(own, b"q")
    screen(lambda text: "\x1b[?1049l" in text)
    assert child.wait(10) == 0
    assert termios.tcgetattr(other) == before, "the terminal is not as it was"
    printed = ropinn("watch events")
    assert "[loss]" in printed and "\x1b" not in printed
    print("watch")


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for name, text in PROBLEMS.items():
            Path(f"{name}.toml").write_text(text)
        chosen = sys.argv[1:]
        for check in (check_onnx, check_vtk, check_estimate, check_tensorboard, check_watch):
            if not chosen or check.__name__.removeprefix("check_") in chosen:
                began = time.time()
                check()
                print(f"  {time.time() - began:.1f} s", flush=True)


main()
