"""The dashboard is what Grafana takes, and asks for what there is."""

import json
import re

from promtool import printed, promtool, write

DASHBOARD = json.loads(printed("dashboard"))
PANELS = DASHBOARD["panels"]
CHARTS = [panel for panel in PANELS if panel["type"] != "row"]
# What Grafana puts in the place of its variables.
VARIABLES = {"$__rate_interval": "1m", "$job": ".*", "$instance": ".*"}


def filled(expression):
    for name, value in VARIABLES.items():
        expression = expression.replace(name, value)
    assert "$" not in expression, expression
    return expression


def expressions():
    return [filled(target["expr"]) for panel in CHARTS for target in panel["targets"]]


def test_has_what_grafana_needs():
    """By its JSON model; there is no Grafana in Debian."""
    assert {"title", "uid", "schemaVersion", "panels", "templating", "time", "refresh", "tags"} <= DASHBOARD.keys()
    assert re.fullmatch(r"[A-Za-z0-9_-]{1,40}", DASHBOARD["uid"])
    variables = {each["name"]: each for each in DASHBOARD["templating"]["list"]}
    assert list(variables) == ["datasource", "job", "instance"]
    assert variables["datasource"]["type"] == "datasource"
    for panel in CHARTS:
        assert panel["type"] in ("timeseries", "stat")
        assert panel["datasource"] == {"type": "prometheus", "uid": "${datasource}"}
        assert panel["title"] and panel["description"].endswith(".")
        assert panel["fieldConfig"]["defaults"]["unit"] and panel["fieldConfig"]["overrides"] == []
        references = [target["refId"] for target in panel["targets"]]
        assert references and len(set(references)) == len(references)
    for panel in PANELS:
        if panel["type"] == "row":
            assert panel["panels"] == [] and panel["collapsed"] is False


def test_panels_have_ids_and_titles_of_their_own():
    for key in ("id", "title"):
        values = [panel[key] for panel in PANELS]
        assert len(set(values)) == len(values) > 40


def test_panels_do_not_overlap():
    taken = {}
    for panel in PANELS:
        place = panel["gridPos"]
        assert place["x"] >= 0 and place["x"] + place["w"] <= 24
        for x in range(place["x"], place["x"] + place["w"]):
            for y in range(place["y"], place["y"] + place["h"]):
                assert (x, y) not in taken, (panel["title"], taken[x, y])
                taken[x, y] = panel["title"]


def test_legends_name_labels_of_the_expression():
    for panel in CHARTS:
        for target in panel["targets"]:
            grouped = {name for names in re.findall(r"by \(([^)]*)\)", target["expr"]) for name in names.split(", ")}
            assert set(re.findall(r"{{(\w+)}}", target["legendFormat"])) <= grouped, panel["title"]


def test_promtool_takes_every_expression(tmp_path):
    recorded = [{"record": f"panel:{number}", "expr": each} for number, each in enumerate(expressions())]
    file = write(tmp_path / "rules.yml", {"groups": [{"name": "dashboard", "rules": recorded}]})
    assert f"SUCCESS: {len(recorded)} rules found" in promtool("check", "rules", str(file))
