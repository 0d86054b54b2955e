"""The document and the sources name the same routes and the same errors."""

import pytest

import document
import sources

DOCUMENT = document.load()
PATHS = DOCUMENT["paths"]
CODES = set(DOCUMENT["components"]["schemas"]["ErrorCode"]["enum"])


def is_documented(literal):
    """A whole path, or the beginning of paths with something behind it."""
    begins = literal.endswith("/") and any(path.startswith(literal) and path != literal for path in PATHS)
    return literal in PATHS or begins


@pytest.mark.parametrize("literal", sorted(sources.routes()))
def test_a_route_of_the_table_is_documented(literal):
    assert is_documented(literal)


@pytest.mark.parametrize("provider", sources.providers())
def test_each_stores_webhook_is_documented(provider):
    assert f"/webhooks/{provider}" in PATHS


@pytest.mark.parametrize("path", PATHS)
def test_a_documented_path_is_in_the_table(path):
    """A file of the public folder is what the table leaves over."""
    literals = sources.routes()
    if path == "/{path}":
        return
    for stores in ("/webhooks/", "/transactions/", "/receipts/", "/offers/"):
        if path.startswith(stores):
            assert path.removeprefix(stores) in sources.providers() and stores in literals
            return
    assert path in literals


def test_each_error_of_the_sources_is_documented():
    assert {code for code, _ in sources.errors()} - CODES == set()


def test_each_documented_error_is_in_the_sources():
    assert CODES - {code for code, _ in sources.errors()} == set()


def by_status():
    """Which codes the answers of all operations may have, by status."""
    found = set()
    for _, _, operation in document.operations(DOCUMENT):
        for status, answer in document.answers(DOCUMENT, operation):
            found |= {(code, status) for code in document.allowed_codes(answer)}
    return found


def test_each_error_is_documented_with_its_status():
    documented = by_status()
    assert {error for error in sources.errors() if error[1] and error not in documented} == set()


def test_each_code_belongs_to_an_answer():
    assert CODES == {code for code, _ in by_status()}
