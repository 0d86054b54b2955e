"""What the document says about files and generated requests do not reach: ranges, and what a client already has."""

import pytest

import document
from answers import Answers

# The request's headers, and the statuses of GET and HEAD, which knows no parts.
CASES = {
    "a part": ({"Range": "bytes=0-4"}, 206, 200),
    "a part that is not there": ({"Range": "bytes=99-"}, 416, 200),
    "a part of another version": ({"Range": "bytes=0-4", "If-Range": '"old"'}, 200, 200),
    "what the client has": ({"If-None-Match": None}, 304, 304),
    "what the client had": ({"If-None-Match": '"old"'}, 200, 200),
}


@pytest.mark.parametrize("method", ["get", "head"])
@pytest.mark.parametrize("headers, get, head", CASES.values(), ids=CASES)
def test_a_file_is_answered_as_documented(production, headers, get, head, method):
    tag = production.ask("GET", "/hello.txt").headers["ETag"]
    headers = {name: value or tag for name, value in headers.items()}
    answer = production.ask(method.upper(), "/hello.txt", headers=headers)
    assert answer.status == (get if method == "get" else head)
    Answers(document.load()).check("/{path}", method, answer)


@pytest.mark.parametrize("path", ["/paycast.js", "/paycast-native.js", "/openapi.json"])
def test_what_the_program_brings_along_is_not_sent_twice(production, path):
    tag = production.ask("GET", path).headers["ETag"]
    answer = production.ask("GET", path, headers={"If-None-Match": tag})
    assert answer.status == 304
    Answers(document.load()).check(path, "get", answer)
