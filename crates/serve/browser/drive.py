"""Drives the live page of a run that trains, and a report, in headless Chromium: `.ci/browser`.

Curves grow, sliders move the field, filter and overlay work, the button stops the run; nothing is said on the console, nothing is asked
of another host, and the layout fits a phone and a desk. Screenshots are left in the folder that is named.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from urllib.parse import urlparse

from playwright.sync_api import sync_playwright

ROPINN = os.environ["ROPINN"]
SMALL = "--width 8 --depth 2 --set points.interior=grid:21x21 --set points.evaluation=grid:21x21 --threads 1".split()
WAIT = 90_000
PHONE, DESK = {"width": 390, "height": 844}, {"width": 1400, "height": 1000}


def ropinn(folder, *words):
    done = subprocess.run([ROPINN, *words], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, f"ropinn {' '.join(words)}: {done.stderr}"


class Watched:
    """A page that remembers what went wrong with it."""

    def __init__(self, browser, home):
        self.page = browser.new_page(viewport=DESK)
        self.page.set_default_timeout(WAIT)
        self.home, self.troubles, self.asked = home, [], []
        self.page.on("console", lambda said: self.troubles.append(said.text) if said.type in ("error", "warning") else None)
        self.page.on("pageerror", lambda error: self.troubles.append(str(error)))
        self.page.on("request", lambda request: self.asked.append(request.url))

    def check(self, host):
        assert not self.troubles, self.troubles
        foreign = [url for url in self.asked if urlparse(url).netloc not in ("", host) and not url.startswith(("data:", "blob:"))]
        assert not foreign, foreign

    def picture(self, name):
        for size, word in ((DESK, "1400"), (PHONE, "390")):
            self.page.set_viewport_size(size)
            self.page.wait_for_timeout(200)
            wide = self.page.evaluate("[document.documentElement.scrollWidth, window.innerWidth]")
            assert wide[0] <= wide[1], f"{name} is {wide[0]} pixels wide on a screen of {wide[1]}"
            self.page.screenshot(path=self.home / f"{name}-{word}.png", full_page=True)
        self.page.set_viewport_size(DESK)

    def until(self, expression, *arguments):
        self.page.wait_for_function(expression, arg=list(arguments))

    def fact(self, name):
        return self.page.inner_text(f"[data-fact='{name}']")

    def slide(self, selector, value):
        self.page.eval_on_selector(selector, "(input, value) => { input.value = value; input.dispatchEvent(new Event('input')); }", value)


def all_runs(watched, url):
    page = watched.page
    page.goto(url)
    page.wait_for_selector("tr[data-id='training']")
    names = lambda: page.eval_on_selector_all("tr[data-id]", "rows => rows.map((row) => row.dataset.id)")
    assert len(names()) == 5, names()
    # A search of two values and two seeds, as a table that is full.
    assert page.locator("#groups table.grid td a").count() == 4
    page.fill("input[type=search]", "found 1e-3")
    watched.until("() => document.querySelectorAll('tr[data-id]').length === 2")
    assert all(name.startswith("found/region.r=1e-3") for name in names()), names()
    page.fill("input[type=search]", "")
    page.select_option("select[aria-label=state]", "done")
    watched.until("() => document.querySelectorAll('tr[data-id]').length === 4")
    page.click("th:has-text('rMSE')")
    errors = page.eval_on_selector_all("tr[data-id]", "rows => rows.map((row) => Number(row.cells[7].textContent))")
    assert errors == sorted(errors), errors
    page.click("th:has-text('rMSE')")
    falling = page.eval_on_selector_all("tr[data-id]", "rows => rows.map((row) => Number(row.cells[7].textContent))")
    assert falling == sorted(errors, reverse=True), falling
    for name in names()[:2]:
        page.check(f"tr[data-id='{name}'] input")
    watched.until("() => { const chart = document.querySelector('#over .chart'); return chart && chart.querySelectorAll('.trace').length === 2; }")
    # Hidden in one chart, hidden in all.
    page.click("#over .legend button >> nth=0")
    watched.until("() => [...document.querySelectorAll('#over .chart')].every((chart) => chart.querySelectorAll('.trace').length === 1)")
    page.click("#over .legend button >> nth=0")
    watched.picture("list")
    page.select_option("select[aria-label=state]", "")


def curves(watched):
    page = watched.page
    page.click("tr[data-id='training'] a")
    page.wait_for_selector("#curve-loss .trace")
    rows = int(watched.fact("rows"))
    drawn = page.get_attribute("#curve-loss .trace", "d")
    watched.until("([rows]) => Number(document.querySelector('[data-fact=rows]').textContent) > rows", rows)
    watched.until("([drawn]) => document.querySelector('#curve-loss .trace').getAttribute('d') !== drawn", drawn)
    assert page.locator("#curve-loss .trace").count() >= 3, "the loss and its terms"
    assert watched.fact("state") == "training" and watched.fact("time left")
    box = page.locator("#curve-loss svg").bounding_box()
    page.mouse.move(box["x"] + 0.5 * box["width"], box["y"] + 0.5 * box["height"])
    watched.until("() => document.querySelector('#curve-loss .tip').textContent.includes('total: ')")
    marks = "svg => [...svg.querySelectorAll('text')].map((text) => text.textContent).join(' ')"
    before = page.eval_on_selector("#curve-loss svg", marks)
    page.mouse.move(box["x"] + 0.3 * box["width"], box["y"] + 0.5 * box["height"])
    page.mouse.down()
    page.mouse.move(box["x"] + 0.6 * box["width"], box["y"] + 0.5 * box["height"])
    page.mouse.up()
    assert page.eval_on_selector("#curve-loss svg", marks) != before, "dragging zooms"
    page.dblclick("#curve-loss svg")


def field(watched):
    page = watched.page
    page.wait_for_selector(".field canvas")
    # The first fields may be few; the slider over training comes with the second.
    page.wait_for_selector(".field input[aria-label=training]")
    watched.until("() => Number(document.querySelector('.field input[aria-label=training]').max) >= 1")
    last, seen = page.get_attribute(".field", "data-step"), page.get_attribute(".field", "data-sum")
    watched.slide(".field input[aria-label=training]", "0")
    watched.until("([last, seen]) => { const { step, sum } = document.querySelector('.field').dataset; return step !== last && sum !== seen; }", last, seen)
    label = page.inner_text(".field .legend")
    watched.slide(".field input[data-axis=t]", "3")
    watched.until("([label]) => document.querySelector('.field .legend').innerText !== label", label)
    page.hover(".field canvas >> nth=0")
    watched.until("() => /^x .*, t .*: /.test(document.querySelector('.field > .tip').textContent)")
    page.select_option(".field select", "|residual|")
    page.click("#theme")
    watched.picture("run")
    page.click("#theme")
    page.select_option(".field select", "u")
    watched.slide(".field input[aria-label=training]", page.get_attribute(".field input[aria-label=training]", "max"))


def report(browser, folder, home):
    ropinn(folder, "report", "runs/found", "--out", "report.html")
    watched = Watched(browser, home)
    page = watched.page
    page.goto((folder / "report.html").as_uri())
    assert page.locator("[data-chart] .trace").count() >= 8
    assert page.locator("[data-fields] canvas").count() >= 4
    page.wait_for_selector("[data-fields] [data-axis=t]")
    page.click("table >> nth=0 >> th:has-text('seed')")
    page.click("table >> nth=0 >> th:has-text('seed')")
    seeds = page.eval_on_selector("table", "table => [...table.rows].slice(1).map((row) => Number(row.cells[4].textContent))")
    assert seeds == sorted(seeds, reverse=True), seeds
    watched.slide("[data-fields] [data-axis=t] >> nth=0", "5")
    page.click("[data-chart] .legend button >> nth=0")
    watched.until("() => document.querySelector('[data-run]').hidden")
    page.click("[data-chart] .legend button >> nth=0")
    watched.picture("report")
    page.pdf(path=home / "report.pdf")
    watched.check("")


def main(home, wants_picture):
    with tempfile.TemporaryDirectory() as made, sync_playwright() as playwright:
        folder = Path(made)
        ropinn(folder, "solve", "reaction", *SMALL, "--optimizer", "adam 60", "--search", "region.r=1e-4,1e-3", "--seeds", "0,1", "--out", "runs/found", "--quiet")
        long = ["--width", "16", "--depth", "2", "--optimizer", "adam 1000000", "--set", "stop.max_seconds=400", "--threads", "1", "--set", "points.interior=grid:21x21"]
        training = subprocess.Popen([ROPINN, "solve", "wave", *long, "--out", "runs/training", "--quiet"], cwd=folder)
        server = subprocess.Popen([ROPINN, "serve", "runs"], cwd=folder, stdout=subprocess.PIPE, text=True)
        try:
            url = server.stdout.readline().split()[-1]
            # As root, as in most containers, Chromium has no sandbox to live in; the page is our own.
            own = {"executable_path": os.environ["CHROMIUM"]} if os.environ.get("CHROMIUM") else {}
            browser = playwright.chromium.launch(args=["--no-sandbox", "--disable-dev-shm-usage"], **own)
            watched = Watched(browser, home)
            all_runs(watched, url)
            curves(watched)
            field(watched)
            if wants_picture:
                watched.page.set_viewport_size({"width": 1400, "height": 1640})
                watched.page.evaluate("window.scrollTo(0, 0)")
                watched.page.screenshot(path="docs/images/see.png")
            watched.page.click("button.stop")
            watched.until("() => document.querySelector('[data-fact=state]').textContent === 'stopped'")
            assert training.wait(timeout=60) == 130
            result = json.loads((folder / "runs/training/result.json").read_text())
            assert result["interrupted"] and watched.fact("verdict") == result["verdict"]["word"]
            watched.picture("stopped")
            watched.check(urlparse(url).netloc)
            report(browser, folder, home)
            browser.close()
        finally:
            for process in (training, server):
                if process.poll() is None:
                    process.terminate()
                    process.wait()


if __name__ == "__main__":
    began = time.monotonic()
    main(Path(sys.argv[1]), "--picture" in sys.argv)
    print(f"the pages work; screenshots are in {sys.argv[1]} ({time.monotonic() - began:.0f} s)")
