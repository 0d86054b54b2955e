"""What is said of an address of the backend that is down has the documented form."""

import time

import pytest

import document
from answers import Answers
from servers import DEVELOPMENT, Paycast

DOCUMENT = document.load()
# Nothing listens there.
DOWN = "http://127.0.0.1:9/hooks?key=secret"


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    server = Paycast(tmp_path_factory.mktemp("hooks"), DEVELOPMENT | {"PAYCAST_HOOK_URLS": DOWN}, ["--dev"])
    server.paycast("trigger", "apple", "SUBSCRIBED/INITIAL_BUY", "--user", "42")
    deadline = time.monotonic() + 30
    while not server.ask("GET", "/hooks").json["hooks"][0]["failures"]:
        assert time.monotonic() < deadline, "no message was tried"
        time.sleep(0.05)
    yield server
    server.stop()


def checked(server, method, path, template=None):
    answer = server.ask(method, path, b"" if method == "POST" else None)
    Answers(DOCUMENT).check(template or path.partition("?")[0], method.lower(), answer)
    assert b"secret" not in answer.body
    return answer


def test_the_state_of_an_address(server):
    hook = checked(server, "GET", "/hooks").json["hooks"][0]
    assert (hook["state"], hook["waiting"], hook["last_success"]) == ("failing", 1, None)


def test_a_message_that_waits_is_sent_again(server):
    found = checked(server, "GET", "/hooks/deliveries?state=waiting").json["deliveries"]
    assert [(one["user"], one["state"], one["superseded"]) for one in found] == [("42", "waiting", 0)]
    assert checked(server, "GET", "/hooks/deliveries?user=42").json["deliveries"][0]["id"] == found[0]["id"]
    path = f"/hooks/deliveries/{found[0]['id']}/resend"
    assert checked(server, "POST", path, "/hooks/deliveries/{id}/resend").status == 202


def test_a_test_that_nobody_answers(server):
    (trial,) = checked(server, "POST", "/hooks/test").json["hooks"]
    assert (trial["ok"], trial["status"]) == (False, None)
