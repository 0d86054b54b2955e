"""Links that DocC does not check: it checks those between articles itself."""

import re

import pytest

from blocks import CATALOGUE, articles
from program import ROOT

LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)")
TOPIC = re.compile(r"^- <doc:(\w+)>$", re.MULTILINE)
PAGES = articles()


@pytest.mark.parametrize("name", PAGES)
def test_links_to_files_lead_somewhere(name):
    path = PAGES[name]
    for target in LINK.findall(path.read_text()):
        if re.match(r"https?:", target):
            continue
        # GitHub shows a link of DocC's as its title; DocC leaves one to a file dead.
        assert target.startswith("doc:") == path.is_relative_to(CATALOGUE), f"{target} in {name}"
        assert target.startswith("doc:") or (path.parent / target.partition("#")[0]).exists(), f"no {target}"


def test_every_article_is_a_topic_of_the_first_page():
    root = (CATALOGUE / "Documentation.md").read_text()
    names = {path.stem for path in CATALOGUE.rglob("*.md")} - {"Documentation"}
    assert sorted(TOPIC.findall(root)) == sorted(names)


def test_readme_leads_to_every_article_and_stays_short():
    readme = (ROOT / "README.md").read_text()
    linked = {target.rpartition("/")[2] for target in LINK.findall(readme)}
    assert {path.name for path in CATALOGUE.rglob("*.md")} <= linked
    assert len(readme.splitlines()) <= 180
