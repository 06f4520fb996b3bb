"""Every block of docs/python.md runs as it is written, one after another."""

import re

import matplotlib
from conftest import ROOT


def test_the_page_runs(tmp_path, monkeypatch, capsys):
    matplotlib.use("Agg")
    monkeypatch.chdir(tmp_path)
    text = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert len(blocks) >= 6
    names = {}
    for block in blocks:
        exec(compile(block, "docs/python.md", "exec"), names)
    said = capsys.readouterr().out
    promised = re.search(r"print\(error\)\s+# (.*), with a caret", text).group(1)
    assert said.startswith(promised) and "^" in said, said
