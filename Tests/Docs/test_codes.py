"""The articles' own tables of answers name codes that Errors.md has, which is held to the sources."""

import re

import pytest

import tables
from blocks import CATALOGUE

ARTICLES = ["BackendAPI", "NativeApps", "Apple", "Google", "Stripe", "RevenueCat", "PurchaseKit"]
OUTCOMES = {"applied", "duplicate", "stale", "ignored", "unclaimed", "quarantined"}
CODE = re.compile(r"`([a-z]+(?:_[a-z]+)*)`")


def codes(article):
    """What stands in the second column of a table that begins with a status."""
    rows = tables.rows((CATALOGUE / f"{article}.md").read_text(), "status")
    return {code for cells in rows for code in CODE.findall(cells[1])}


@pytest.mark.parametrize("article", ARTICLES)
def test_codes_are_known(article):
    known = set(tables.named(tables.read("Errors.md"), "Code")) | OUTCOMES
    assert codes(article)
    assert codes(article) - known == set()
