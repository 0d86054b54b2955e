"""The Kotlin of Android.md, run against a Google Play and a server that do what AndroidScenarios.kt says."""

import pytest

from android import run


def status(*names):
    return " ".join(f'{{"status":"{name}"}}' for name in names)


def purchases(*entries):
    return '{"purchases":[' + ",".join(f'{{"status":"{status}","productId":"{id}"}}' for id, status in entries) + "]}"


def failure(code):
    return f'{{"status":"error","error":"{code}"}}'


def listed(*parts):
    return "[" + ", ".join(parts) + "]"


# Signed names of ann, which differ in their signatures, and one of bob.
ANN = "ImFubiI=--"
BOB = "eyJfcmFpbHMiOnsiZGF0YSI6ImJvYiIsImV4cCI6bnVsbH19--1"

EXPECTED = {
    "prices": "[80 €, 80 €, 10 €, 1 €, ]",
    "bought": listed(status("granted"), "[t1 stream-1 for 1 asked]", "year/trial", purchases()),
    "coins are delivered": listed(status("delivered"), status("restored")),
    "offers": listed("[month/null, month/winback, year/winback]", status("unknown_offer")),
    "another plan, another product, no subscription": listed(
        "[of-pro changes t-pro pro 1, of-max changes t-max max 1, 17, 17, of-pro changes t-pro pro 1]",
        "{session=stream-17}",
    ),
    "another plan is the new order's, after a restart too": listed(
        status("kept"), "[t22 stream-22 for 22 asked]", "[t22 stream-22 for 22 asked]"
    ),
    "bought again after it was cancelled": listed(
        "[first null]", status("granted"), status("granted"), "[t23 stream-23 for 23 asked, t24 stream-24 for 24 asked]"
    ),
    "on hold": listed(status("cancelled"), status("nothing")),
    "tapped again before the server knows": listed(status("granted"), "[t19 stream-19 for 19 asked]"),
    "a declined payment is mended": "[t18 stream-18 for 18 asked, t18 stream-18 for 18]",
    "cancelled": listed(status("cancelled"), purchases()),
    "two taps": listed(purchases(("coins", "buying")), status("cancelled"), status("cancelled")),
    "busy server and hotel": listed(
        status("kept", "delivered"), "[t4 stream-4 for 4 asked, t4 stream-4 for 4 asked, t4 stream-4 for 4 asked]", "true", "true"
    ),
    "asked to wait": listed(
        status("kept"), purchases(("coins", "kept")), purchases(("coins", "kept")), f"[t12 {ANN}1 for 12 asked]", "0"
    ),
    "a sheet without a word": listed(status("failed"), purchases(), status("failed"), purchases()),
    "a sheet whose purchase is found": listed(status("delivered"), "[t28 stream-28 for 28]"),
    "two users": listed(
        status("failed"), purchases(), purchases(), purchases(("coins", "buying")), status("cancelled")
    ),
    "nobody has asked": listed(f"[t32 {BOB}]", purchases()),
    "a tap does not take what another user has bought": listed(status("owned_by_other"), f"[t33 {BOB}]"),
    "killed after the tap": f"[t34 {ANN}1 for 34 asked]",
    "a short message": listed(status("delivered"), "[t35 stream-35 for 35]"),
    "not genuine": listed(status("refused"), purchases()),
    "nobody's": status("recorded"),
    "another page, a frame": listed(
        purchases(),
        f'["{ANN}1"].every(text => document.documentElement.outerHTML.includes(text))',
        failure("foreign_origin"),
        failure("foreign_frame"),
    ),
    "webhook first": status("delivered"),
    "killed before the post": "[t5 stream-5 for 5 asked]",
    "bought elsewhere": listed(purchases(), status("not_logged_in"), status("restored"), "[t6 stream-6, t6 stream-6 asked]"),
    "another user restores": listed(status("owned_by_other"), "[t14 theirs asked]"),
    "killed while it restores": listed(status("offline"), "[t15 stream-15 asked]", status("restored"), "null"),
    "nothing to restore": status("nothing"),
    "paid later": listed(
        status("pending"),
        "[t7 stream-7 for 7 asked]",
        purchases(("coins", "pending")),
        "[t7 stream-7 for 7]",
        status("delivered"),
    ),
    "expired stream": listed(
        status("logged_out"), status("delivered"), f"[t8 {ANN}1 for 8 asked, t8 {ANN}2 for 8 asked]"
    ),
    "another user's": status("owned_by_other"),
    "owned already": listed(status("delivered"), "[t10 stream-10 for 10]"),
    "no second try": listed(status("not_allowed"), status("not_available")),
    "no Google Play": listed(status("offline"), failure("offline")),
    "nonsense": listed(
        *[failure("invalid_message")] * 3, failure("unknown_event"), failure("invalid_message"), *[status("shown")] * 2
    ),
}


@pytest.fixture(scope="module")
def lines(android):
    """Runs the scenarios."""
    output = run(*android, "com.example.shop.AndroidScenariosKt")
    return dict(line.split(": ", 1) for line in output.splitlines())


def test_every_scenario_has_run(lines):
    assert lines.keys() == EXPECTED.keys()


@pytest.mark.parametrize("name", EXPECTED)
def test_a_scenario(lines, name):
    assert lines[name] == EXPECTED[name]
