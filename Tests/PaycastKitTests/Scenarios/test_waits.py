"""When the app posts again what a real server does not take: what the server sees of it."""

import pytest
import rules
from stories import BRIEFLY, is_done, log_in, purchase, sold
from world import BUNDLE, Phone, Server

HOUR = 3600


@pytest.fixture
def world(tmp_path):
    """Makes a server of its own, which a test may end, and a phone."""
    made = []

    def world(**settings):
        server = Server(tmp_path / "server", **settings)
        made.append(server)
        return server, Phone(tmp_path / "phone", server)

    yield world
    for server in made:
        server.program.stop()


def test_a_server_that_is_gone_is_asked_less_and_less(world):
    server, phone = world()
    order, transaction = sold(phone, "w1")
    server.program.kill()
    posts = phone.run_until_answered(5, {"buy": [purchase(order)]}, pace=8, patience=40)
    waits = rules.waits(posts)
    assert len(phone.names("open")) == 1 and {post["status"] for post in posts} == {502}
    assert len(waits) == 4 and all(waited >= 2**failures for failures, waited in enumerate(waits)), waits
    server.program.start()
    server.program.wait_until_listening()
    assert is_done(phone.run()) and phone.finished == [transaction["id"]]


def test_a_server_that_is_gone_is_asked_by_one_post_for_all(world):
    server, phone = world()
    order = server.order("w2", "coins")
    transactions = [phone.sign(product="coins", kind="Consumable") for _ in range(10)]
    for transaction in transactions:
        phone.put("open", transaction)
    server.program.kill()
    waits = rules.waits(phone.run_until_answered(6, log_in(order), pace=8, patience=40))
    # Four at once; each of them has failed, so the next waits eight seconds, and goes alone.
    assert len(waits) == 5 and waits[3] >= 8 and waits[4] >= 16, waits
    server.program.start()
    server.program.wait_until_listening()
    assert is_done(phone.run(log_in(order))) and len(phone.finished) == 10
    phone.check_rules()


def test_as_long_as_the_server_asks_for(world):
    """Another app's purchases, until the operator adds it."""
    server, phone = world(PAYCAST_APPLE_BUNDLE_ID="com.example.another")
    order, transaction = sold(phone, "w3")
    report = phone.run({"buy": [purchase(order)]}, pace=HOUR / 2, patience=10)
    posts, waits = phone.network.posts, rules.waits(phone.network.posts)
    assert report["kept"] == 1 and report["outcomes"][0].startswith("kept")
    assert {(post["status"], post["retry_after"]) for post in posts} == {(503, str(HOUR))}
    # The app's own waits would have been seconds and minutes.
    assert waits and min(waits) >= HOUR, waits

    server.program.environment["PAYCAST_APPLE_BUNDLE_ID"] = f"com.example.another,{BUNDLE}"
    server.restart()
    # However long the app ran, its clock did not come to that.
    assert is_done(phone.run(clock_error=48 * HOUR)) and phone.finished == [transaction["id"]]


def test_as_long_as_the_server_asks_for_over_restarts(world):
    server, phone = world(PAYCAST_APPLE_BUNDLE_ID="com.example.another")
    order, transaction = sold(phone, "w4")
    phone.run({"buy": [purchase(order)]}, **BRIEFLY)
    server.program.environment["PAYCAST_APPLE_BUNDLE_ID"] = BUNDLE
    server.restart()
    # Neither a restart of the app nor a log-in hastens it, though the server would take it now.
    for steps in ([], [log_in(order)]):
        assert phone.run(*steps, patience=2)["kept"] == 1
    assert len(phone.network.posts) == 1 and phone.finished == []
    assert is_done(phone.run(clock_error=1.5 * HOUR)) and phone.finished == [transaction["id"]]


def test_as_long_as_a_busy_server_asks_for_also_what_comes_after_a_restart(world):
    """Retry-After is for every post then, and not for the one alone that it answered."""
    server, phone = world()
    order, transaction = sold(phone, "w5")
    phone.network.mode, phone.network.retry_after = "busy", HOUR
    phone.run({"buy": [purchase(order)]}, **BRIEFLY)
    phone.network.mode = "up"
    phone.put("open", coins := phone.sign(product="coins", kind="Consumable"))
    assert phone.run(log_in(order), patience=2)["kept"] == 2
    assert len(phone.network.posts) == 1 and phone.finished == []
    assert is_done(phone.run(log_in(order), clock_error=1.5 * HOUR))
    assert set(phone.finished) == {transaction["id"], coins["id"]}
