"""Operations.md lists the metrics of a running server: each with its type and its labels, and no other one."""

import json
import re
import subprocess
import urllib.request

import pytest

import tables
from program import OUTSIDE, binary
from server import Server

TYPE = re.compile(r"^# TYPE (\S+) (\S+)$", re.MULTILINE)
HELP = re.compile(r"^# HELP (\S+) (.+)$", re.MULTILINE)
SAMPLE = re.compile(r"^(\w+?)(?:_bucket|_sum|_count)?(?:\{(.*)\})? ", re.MULTILINE)
# What an article may name in its prose and commands.
NAMED = re.compile(r"\bpaycast_[a-z0-9_]+(?:_total|_seconds|_bytes|_depth|_waiting|_contracts|_connected)\b")
METRIC = re.compile(r"\b(?:paycast_[a-z0-9_]+|process_[a-z_]+)\b")
LABEL = re.compile(r'(\w+)="')


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """The metrics of a server with every part. Nothing needs to be at the two addresses."""
    settings = {**OUTSIDE, "REDIS_URL": "redis://127.0.0.1:1", "PAYCAST_RAILS_CABLE_URL": "sqlite:/none"}
    server = Server(f"exec {binary()} serve --dev", tmp_path_factory.mktemp("metrics"), settings)
    with urllib.request.urlopen(server.url + "/metrics", timeout=10) as answer:
        text = answer.read().decode()
    server.stop()
    return text


def labels(page):
    found = {}
    for name, text in SAMPLE.findall(page):
        found.setdefault(name, set()).update(LABEL.findall(text))
    return {name: names - {"le"} for name, names in found.items()}


def test_every_metric_is_listed_with_its_type(page):
    listed = {name: cells[1] for name, cells in tables.named(tables.read("Operations.md"), "Metric").items()}
    assert len(listed) > 50
    assert dict(TYPE.findall(page)) == listed


def test_labels_are_those_of_the_article(page):
    real = labels(page)
    for name, cells in tables.named(tables.read("Operations.md"), "Metric").items():
        printed = re.search(r"\{(.*)\}", cells[0])
        assert set(printed[1].split(", ") if printed else []) == real[name], name


def printed(command):
    return subprocess.run([binary(), command], check=True, capture_output=True, text=True, env=OUTSIDE).stdout


def metrics(text):
    return {re.sub("_(bucket|sum|count)$", "", name) for name in METRIC.findall(text)}


@pytest.mark.parametrize("command", ["alerts", "dashboard"])
def test_what_watches_them_names_metrics_that_exist(page, command):
    named = metrics(printed(command))
    assert len(named) > 20
    assert named - dict(TYPE.findall(page)).keys() == set()


def test_the_dashboard_shows_what_alarms_watch():
    """There one looks when an alarm goes off; these two alarms say all that a chart would."""
    missing = metrics(printed("alerts")) - metrics(printed("dashboard"))
    assert missing == {"paycast_clock_seconds", "paycast_hook_addresses_failing"}


def test_each_chart_is_described_in_the_words_of_its_metric(page):
    words = dict(HELP.findall(page))
    for panel in json.loads(printed("dashboard"))["panels"]:
        if panel["type"] != "row":
            shown = metrics(" ".join(target["expr"] for target in panel["targets"]))
            assert panel["description"].startswith(tuple(words[name] for name in shown)), panel["title"]


def test_the_runbook_names_metrics_that_exist(page):
    known = dict(TYPE.findall(page))
    for article in ("Runbook.md", "ProductionChecklist.md"):
        named = set(NAMED.findall(tables.read(article)))
        assert named, article
        assert named - known.keys() == set(), article
