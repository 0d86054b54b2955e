"""The package as an app adds it: by the address of this repository and a version."""

import json
import subprocess

from program import OUTSIDE, ROOT

MANIFEST = """// swift-tools-version: 6.0
import PackageDescription

let package = Package(
    name: "App",
    dependencies: [.package(url: "{url}", exact: "1.0.0")],
    targets: [.executableTarget(name: "App", dependencies: [.product(name: "PaycastKit", package: "paycast")])]
)
"""
APP = """import PaycastKit
print(EntitlementState.unknown.isActive("pro"))
"""


def test_an_app_adds_the_repository(tmp_path):
    repository, app = tmp_path / "paycast", tmp_path / "app"
    for command in (["clone", "--quiet", "--shared", ROOT, repository], ["-C", repository, "tag", "1.0.0"]):
        subprocess.run(["git", *command], check=True)
    (app / "Sources" / "App").mkdir(parents=True)
    (app / "Sources" / "App" / "main.swift").write_text(APP)
    (app / "Package.swift").write_text(MANIFEST.format(url=repository.as_uri()))
    run = subprocess.run(["swift", "run"], cwd=app, env=OUTSIDE, capture_output=True, text=True, timeout=500)
    assert run.stdout == "false\n", run.stdout + run.stderr
    assert (app / "Package.resolved").read_text().count('"identity"') == 1, "PaycastKit brings dependencies"


def test_what_an_app_builds_has_settings_that_a_dependency_may_have():
    """Not every SwiftPM takes unsafe flags from a dependency, and Xcode, which suppresses the warnings of dependencies, takes no
    settings of warnings: "Conflicting options '-warnings-as-errors' and '-suppress-warnings'"."""
    words = ["swift", "package", "dump-package"]
    package = json.loads(subprocess.run(words, cwd=ROOT, env=OUTSIDE, check=True, stdout=subprocess.PIPE).stdout)
    [target] = [target for target in package["targets"] if target["name"] == "PaycastKit"]
    kinds = {kind for setting in target["settings"] for kind in setting["kind"]}
    assert target["dependencies"] == [] and kinds == {"swiftLanguageMode", "enableUpcomingFeature"}, target
