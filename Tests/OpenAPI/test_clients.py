"""Two generators make clients of the document, which call each of its operations."""

import pytest

import document
from clients import Call, OpenAPIGenerator, OpenAPIPythonClient
from servers import API_KEY, DEVELOPMENT, Paycast

DOCUMENT = document.load()
# A user is erased last.
OPERATIONS = sorted(document.operations(DOCUMENT), key=lambda operation: operation[1] == "delete")
GENERATORS = {"openapi-generator": OpenAPIGenerator, "openapi-python-client": OpenAPIPythonClient}


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """Its own, with a purchase: operations erase users and replay events."""
    server = Paycast(tmp_path_factory.mktemp("clients"), DEVELOPMENT, ["--dev"])
    server.paycast("trigger", "apple", "SUBSCRIBED/INITIAL_BUY", "--user", "42")
    yield server
    server.stop()


@pytest.fixture(scope="module", params=GENERATORS)
def client(request, tmp_path_factory):
    return GENERATORS[request.param](tmp_path_factory.mktemp("generated"))


def test_the_client_has_every_operation(client):
    expected = {Call(DOCUMENT, path, operation).function for path, _, operation in OPERATIONS}
    assert expected - client.operations.keys() == set()


@pytest.mark.parametrize("path, method, operation", OPERATIONS, ids=lambda part: part if isinstance(part, str) else "")
def test_an_operation_is_called(client, server, path, method, operation):
    outcome = client.call(server, API_KEY, Call(DOCUMENT, path, operation))
    answers = dict(document.answers(DOCUMENT, operation))
    assert outcome.status in answers, outcome
    answer = answers[outcome.status]
    if "application/json" in answer.get("content", {}):
        assert outcome.value is not None
        if "x-error-codes" in answer:
            assert outcome.value.error in document.allowed_codes(answer)
