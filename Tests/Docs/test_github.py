"""What GitHub reads: the changelog knows the version, forms and workflow are as GitHub takes them."""

import json
import os
import re
import subprocess

import pytest
import yaml

from program import OUTSIDE, ROOT, binary

GITHUB = ROOT / ".github"
RELEASE = re.compile(r"^## \[(\d+)\.(\d+)\.(\d+)\] - (\d{4}-\d\d-\d\d)$", re.MULTILINE)
KINDS = {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}
FORMS = sorted(path for path in (GITHUB / "ISSUE_TEMPLATE").glob("*.yml") if path.name != "config.yml")
# “Syntax for GitHub's form schema” in docs.github.com: required and optional attributes of each element.
ELEMENTS = {
    "markdown": ({"value"}, {"value"}),
    "textarea": ({"label"}, {"label", "description", "placeholder", "value", "render"}),
    "input": ({"label"}, {"label", "description", "placeholder", "value"}),
    "dropdown": ({"label", "options"}, {"label", "description", "multiple", "options", "default"}),
    "checkboxes": ({"label", "options"}, {"label", "description", "options"}),
}


def changelog():
    return (GITHUB / "CHANGELOG.md").read_text()


def test_the_changelog_knows_the_version_of_the_program():
    output = subprocess.run([binary(), "version"], env=OUTSIDE, capture_output=True, text=True, check=True).stdout
    versions = [".".join(release[:3]) for release in RELEASE.findall(changelog())]
    # The one that is to be the first.
    assert output.splitlines()[0] == "paycast " + (versions or ["0.1.0"])[0]


def test_the_changelog_keeps_its_form():
    text = changelog()
    releases = [(*map(int, release[:3]), release[3]) for release in RELEASE.findall(text)]
    assert releases == sorted(set(releases), reverse=True)
    headings = re.findall(r"^## (.*)$", text, re.MULTILINE)
    assert headings[0] == "[Unreleased]"
    assert len(headings) == len(releases) + 1, "a version is [1.2.3] - 2026-12-31"
    kinds = re.findall(r"^### (.*)$", text, re.MULTILINE)
    assert kinds and set(kinds) <= KINDS


@pytest.mark.parametrize("path", FORMS, ids=lambda path: path.name)
def test_a_form_is_one_that_github_takes(path):
    form = yaml.safe_load(path.read_text())
    assert {"name", "description", "body"} <= form.keys() <= {"name", "description", "body", "labels", "title"}
    ids = [element["id"] for element in form["body"] if "id" in element]
    assert len(ids) == len(set(ids)) > 0
    for element in form["body"]:
        assert element.keys() <= {"type", "id", "attributes", "validations"}
        required, allowed = ELEMENTS[element["type"]]
        assert required <= element["attributes"].keys() <= allowed, element
        assert element["type"] == "markdown" or "id" in element
        for option in element["attributes"].get("options", []):
            assert isinstance(option, str) == (element["type"] == "dropdown")


def test_there_are_forms_for_bugs_and_wishes():
    assert [path.name for path in FORMS] == ["bug.yml", "feature.yml"]
    assert "paycast doctor" in (GITHUB / "ISSUE_TEMPLATE" / "bug.yml").read_text()


def test_the_mac_builds_and_tests_what_is_there():
    workflow = yaml.safe_load((GITHUB / "workflows" / "mac.yml").read_text())
    assert workflow["permissions"] == {"contents": "read"}
    [job] = workflow["jobs"].values()
    commands = [step["run"] for step in job["steps"] if "run" in step]
    assert [command for command in commands if command.startswith("xcodebuild test ")]
    for pattern in workflow[True]["push"]["paths"]:
        assert list(ROOT.glob(pattern)), f"nothing is at {pattern}"


def test_the_project_for_a_mac_names_files_that_are_there():
    folder = ROOT / "Tests" / "PaycastKitTests" / "Mac"
    targets = yaml.safe_load((folder / "project.yml").read_text())["targets"]
    for target in targets.values():
        for source in target["sources"]:
            assert (folder / (source if isinstance(source, str) else source["path"])).exists(), source
    shop = json.loads((folder / "Shop.storekit").read_text())
    sold = shop["products"] + [each for group in shop["subscriptionGroups"] for each in group["subscriptions"]]
    bought = re.findall(r'buy\("([^"]+)"', (folder / "Tests" / "StoreKitStoreTests.swift").read_text())
    assert set(bought) == {product["productID"] for product in sold}


def test_the_workflow_runs_what_ci_runs():
    workflow = yaml.safe_load((GITHUB / "workflows" / "ci.yml").read_text())
    # `on` is a boolean of YAML 1.1.
    assert {"push", "pull_request"} <= workflow[True].keys()
    assert workflow["permissions"] == {"contents": "read"}
    [job] = workflow["jobs"].values()
    assert job["container"]["image"] == "swift:6.3-bookworm"
    assert ".ci/run" in [step.get("run") for step in job["steps"]]
    assert job["timeout-minutes"] > 0


def test_the_workflow_of_upgrades_runs_what_is_there():
    workflow = yaml.safe_load((GITHUB / "workflows" / "upgrade.yml").read_text())
    [job] = workflow["jobs"].values()
    # Tags and the commit before are there only with it.
    assert job["steps"][0]["with"] == {"fetch-depth": 0}
    commands = [step["run"].split() for step in job["steps"] if "run" in step]
    assert ["Tests/Upgrade/run", "newest"] in commands
    for command in commands:
        assert command[0] == "git" or os.access(ROOT / command[0], os.X_OK), command


def test_the_workflow_of_a_release_only_calls():
    """What else it runs are GitHub's own tools; every script and every step of one is there."""
    workflow = yaml.safe_load((GITHUB / "workflows" / "release.yml").read_text())
    assert workflow["permissions"] == {"contents": "read"}
    [pattern] = workflow[True]["push"]["tags"]
    assert re.fullmatch(pattern.replace(".", r"\."), "0.1.0")
    jobs = workflow["jobs"].values()
    assert all(job["timeout-minutes"] > 0 for job in jobs)
    commands = [step["run"] for job in jobs for step in job["steps"] if "run" in step]
    script = (ROOT / ".ci" / "release").read_text()
    for command in commands:
        paths = re.findall(r"\.ci/\S+", command)
        assert paths or command.startswith("gh "), command
        for path in paths:
            assert os.access(ROOT / path, os.X_OK), command
    steps = re.findall(r"\.ci/release (\w+)", " ".join(commands))
    assert sorted(steps) == ["check", "checksums", "image", "notes", "push", "site"]
    assert all(f"\n{step}) " in script for step in steps)
