"""“This user says that he paid”: somebody at a support desk finds out what happened, with nothing but the console."""

import re
import subprocess
import urllib.request
from uuid import uuid4

import pytest

from desk import Desk
from program import binary
from server import Server

# A purchase that opens access on a server for reviewers' Sandbox only.
PRODUCTION = ["--environment", "Production"]


@pytest.fixture(scope="module")
def shop(tmp_path_factory):
    """A server for Production."""
    server = Server(tmp_path_factory.mktemp("shop"), {"PAYCAST_SANDBOX_USERS": "reviewer"})
    yield server
    server.stop()


@pytest.fixture
def desk(browser, shop):
    desk = Desk(browser, shop)
    yield desk
    desk.close()


def say(shop, store, event, *options):
    """A store says something; the fields of the answer, if it is accepted."""
    command = [binary(), "trigger", store, event, *options]
    answer = subprocess.run(command, cwd=shop.folder, timeout=60, capture_output=True, text=True)
    return dict(re.findall(r"^(outcome|event|cursor) +(\S+)$", answer.stdout, re.MULTILINE))


def test_nobody_has_the_purchase_because_its_token_is_wrong(desk, shop, user):
    event = say(shop, "apple", "initial", "--order", str(uuid4()), *PRODUCTION)["event"]
    desk.search(user)
    desk.follow("open the user's page")
    assert desk.answer.startswith("Nothing is known of this user"), desk.answer
    desk.shows("Has no access.", "unclaimed purchase", "search for the order ID or number on the buyer's receipt")
    desk.open("/console/attention")
    desk.shows("Unclaimed purchases", "(no user is known for", "no order of that name is known here")
    desk.search(event)
    desk.shows("unclaimed")
    desk.open(f"/console/users/{user}")
    desk.follow("Claim a purchase")
    desk.fill("Order number", event)
    desk.fill("Why", "ticket 7")
    desk.press("Give it to this user")
    desk.shows("Nothing was done yet", "Compare the purchase below")
    desk.press("Give it to this user")
    desk.shows("The purchase is this user's now")
    assert desk.answer.startswith("Active until"), desk.answer
    assert shop.request("GET", f"/users/{user}")["active"]


def test_the_webhook_was_refused_because_of_the_clock(desk, shop, user):
    late = shop.folder / "late"
    late.write_text("initial delay 10m\n")
    assert say(shop, "stripe", "--scenario", str(late), "--user", user) == {}
    desk.search(user)
    assert "one order is open" in desk.answer, desk.answer
    desk.open("/console/attention")
    desk.shows("signed_in_past", "/webhooks/stripe", "clock")


def test_a_sandbox_purchase_opens_nothing_in_production(desk, shop, user):
    say(shop, "apple", "initial", "--user", user, "--environment", "Sandbox")
    desk.search(user)
    assert desk.answer.startswith("No access") and "Sandbox" in desk.answer, desk.answer
    desk.shows("PAYCAST_SANDBOX_USERS")


def test_a_second_account_has_it(desk, shop, user):
    say(shop, "apple", "initial", "--user", f"{user}-first", *PRODUCTION)
    contract = shop.request("GET", f"/users/{user}-first")["contracts"][0]["contract"]
    desk.search(user)
    desk.shows("Nothing")
    # What the customer reads on the store's receipt.
    desk.search(contract)
    assert desk.path.endswith(f"{user}-first")
    assert desk.answer.startswith("Active until"), desk.answer
    desk.shows(f"{contract} is a contract of {user}-first (Apple,", "the buyer restores purchases", "no reason to pay again")


def test_the_page_was_asleep(desk, shop, user):
    page = urllib.request.urlopen(shop.stream(user)["sse"], timeout=60)
    page.readline()
    desk.open(f"/console/users/{user}")
    desk.shows("Server-Sent Events", "has everything")
    page.close()
    say(shop, "apple", "initial", "--user", user, *PRODUCTION)
    desk.open(f"/console/users/{user}")
    assert desk.answer.startswith("Active until"), desk.answer
    desk.shows("No page of this user is open")
    desk.shows("for pages: success")
    desk.follow("Subscribed")
    desk.shows("paywall")


@pytest.mark.parametrize("event, word", [("initial", "SUBSCRIBED"), ("renew", "DID_RENEW")])
def test_what_is_and_why(desk, shop, user, event, word):
    say(shop, "apple", "initial", "--user", user, *PRODUCTION)
    if event != "initial":
        say(shop, "apple", event, "--user", user, *PRODUCTION)
    desk.search(user)
    # Active until 3 January because Apple said so on 3 December (DID_RENEW).
    assert re.match(rf"Active until \d+ \w+.* because Apple said so on \d+ \w+.*\({word}", desk.answer), desk.answer


def test_it_was_refunded(desk, shop, user):
    say(shop, "apple", "initial", "--user", user, *PRODUCTION)
    say(shop, "apple", "refund", "--user", user, *PRODUCTION)
    desk.search(user)
    assert not desk.answer.startswith("Active") and "REFUND" in desk.answer, desk.answer
    desk.shows("taken back", "Refunded")


def test_it_was_upgraded(desk, shop, user):
    say(shop, "apple", "initial", "--user", user, "--product", "paycast.pro.monthly", *PRODUCTION)
    say(shop, "apple", "upgrade", "--user", user, *PRODUCTION)
    desk.search(user)
    assert desk.answer.startswith("Active until"), desk.answer
    desk.shows("paycast.pro.annual", "UPGRADE")


def test_it_was_moved(desk, shop, user):
    say(shop, "revenuecat", "initial", "--user", user, *PRODUCTION)
    say(shop, "revenuecat", f"TRANSFER/{user}-new", "--user", user, *PRODUCTION)
    desk.search(user)
    assert not desk.answer.startswith("Active"), desk.answer
    desk.shows("TRANSFER")
    desk.search(f"{user}-new")
    assert desk.answer.startswith("Active until") and "RevenueCat" in desk.answer, desk.answer


def test_the_user_was_erased(desk, shop, user):
    event = say(shop, "apple", "initial", "--user", user, *PRODUCTION)["event"]
    desk.open(f"/console/users/{user}")
    desk.follow("Erase the user")
    desk.fill("Why", "asked for by letter")
    desk.fill("to confirm", user)
    desk.press("Erase this user for ever")
    desk.shows("Erased: 1 contract,")
    for text in (user, event):
        desk.search(text)
        desk.shows("Nothing")
    for path in ("/console/live", "/console/attention", "/console"):
        desk.open(path)
        assert user not in desk.text
    desk.open(f"/console/users/{user}")
    assert not desk.answer.startswith("Active"), desk.answer
    assert user not in shop.log.read_text()


def test_two_people_claim_the_same_purchase(desk, browser, shop, user):
    event = say(shop, "apple", "initial", "--order", str(uuid4()), *PRODUCTION)["event"]
    colleague = Desk(browser, shop)
    try:
        for each, name in ((desk, user), (colleague, f"{user}-other")):
            each.open(f"/console/users/{name}/claim")
            each.fill("Order number", event)
            each.fill("Why", "ticket 8")
            each.press("Give it")
            each.shows("Compare the purchase below")
        desk.press("Give it")
        colleague.press("Give it")
        colleague.shows("owner")
        assert shop.request("GET", f"/users/{user}")["active"]
        assert not shop.request("GET", f"/users/{user}-other")["active"]
    finally:
        colleague.close()


def test_two_people_act_on_the_same_user(desk, browser, shop, user):
    """The second is told what the first has done, and decides anew."""
    colleague = Desk(browser, shop)
    try:
        for each, product in ((desk, f"{user}annual"), (colleague, f"{user}monthly")):
            each.open(f"/console/users/{user}/grant")
            each.fill("Or a product", product)
            each.fill("Why", f"ticket of {product}")
            each.press("Grant it")
            each.shows(f"No product is called {product}")
        desk.press("Grant it")
        colleague.press("Grant it")
        colleague.shows("Nothing was done", f"ticket of {user}annual")
        assert [one["product"] for one in shop.request("GET", f"/users/{user}")["contracts"]] == [f"{user}annual"]
        # Nobody has sold that product, which was said before and is not said again.
        colleague.press("Grant it")
        assert len(shop.request("GET", f"/users/{user}")["contracts"]) == 2
    finally:
        colleague.close()


def test_the_same_form_sent_twice_acts_once(desk, shop, user):
    desk.open(f"/console/users/{user}/grant")
    desk.fill("Or a product", f"{user}annual")
    desk.fill("Why", "ticket 9")
    desk.press("Grant it")
    desk.shows(f"No product is called {user}annual")
    again = desk.evaluate(
        "const form = document.querySelector('main form[method=post]');"
        "return JSON.stringify([...new FormData(form)])"
    )
    desk.press("Grant it")
    desk.open(f"/console/users/{user}")
    script = (
        "const form = document.createElement('form'); form.method = 'post';"
        f"form.action = {f'/console/users/{user}/grant'!r};"
        f"for (const [name, value] of {again}) {{ const one = document.createElement('input');"
        "one.name = name; one.value = value; form.append(one) }"
        "document.body.append(form); form.submit()"
    )
    desk.act(script)
    contracts = shop.request("GET", f"/users/{user}")["contracts"]
    assert len(contracts) == 1
