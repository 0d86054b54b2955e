"""What the app says at each step of a story, and what only some networks have. Every story is in test_stories.py."""

import subprocess
import time

import pytest
from signing import Xcode, expired
from stories import MODES, PACE, is_done, log_in, purchase, sold
from world import Phone, Server, Simulator


def test_bought_posted_finished(server, phone):
    order, transaction = sold(phone, "s1")
    report = phone.run({"buy": [purchase(order)]})
    assert is_done(report) and phone.finished == [transaction["id"]]
    assert "granted" in report["outcomes"][0]
    assert server.entitlements("s1")["active"]


def test_bought_offline_posted_the_next_day(server, phone):
    order, transaction = sold(phone, "s3")
    phone.network.mode = "down"
    report = phone.run({"buy": [purchase(order)]}, patience=1)
    assert "kept" in report["outcomes"][0] and report["kept"] == 1 and phone.finished == []
    phone.network.mode = "up"
    assert is_done(phone.run()) and phone.finished == [transaction["id"]]


def test_webhook_first(server, phone):
    """The transaction then says nothing new, and its buyer has access all the same."""
    order, transaction = sold(phone, "s4")
    assert server.post("/webhooks/apple", server.signer.notification(transaction["jws"]))["outcome"] == "applied"
    [outcome] = phone.run({"buy": [purchase(order)]})["outcomes"]
    assert outcome.startswith("granted(") and ("stale" in outcome or "ignored" in outcome), outcome
    assert phone.finished == [transaction["id"]] and server.entitlements("s4")["active"]


def test_posted_by_a_backend_first(server, phone):
    order, transaction = sold(phone, "s4b")
    body = {"signedTransaction": transaction["jws"], "user": "s4b"}
    assert server.post("/transactions/apple", body)["outcome"] == "applied"
    report = phone.run({"buy": [purchase(order)]})
    assert is_done(report) and "duplicate" in report["outcomes"][0]


def test_declined(server, phone):
    """Nothing is ever posted, so the network has no part in it."""
    order = server.order("s5b")
    phone.asks()
    report = phone.run({"buy": [purchase(order)]})
    assert report["outcomes"] == ["pending"]
    for step in range(report["actions"]):
        phone.run({"buy": [purchase(order)]}, kill_before=step)
        assert is_done(phone.run())
    assert phone.network.posts == [] and phone.finished == []


def test_double_tap(server, phone):
    order, _ = sold(phone, "s6")
    report = phone.run({"buy": [purchase(order), purchase(order)]})
    assert len(report["outcomes"]) == 2 and all("granted" in outcome for outcome in report["outcomes"])
    assert phone.lines("sheets.log") == ["pro.annual"]


def test_another_user_logs_in_before_it_is_posted(server, phone):
    """It is its buyer's all the same, and reaches the server without the buyer."""
    order, transaction = sold(phone, "s7")
    other = server.order("s7-other")
    phone.network.mode = "down"
    phone.run({"buy": [purchase(order)]}, {"logOut": True}, log_in(other), patience=1)
    phone.network.mode = "up"
    assert is_done(phone.run(log_in(other))) and phone.finished == [transaction["id"]]
    assert server.entitlements("s7")["active"] and not server.entitlements("s7-other")["active"]


def test_offer_code_without_a_token(server, phone):
    phone.put("open", phone.sign())
    assert phone.run(patience=1)["kept"] == 1 and phone.network.posts == []
    assert is_done(phone.run({"logIn": server.order("s11")["signed_stream"]})) and server.entitlements("s11")["active"]


def test_owned_by_other(server, phone):
    order = server.order("s12")
    transaction = phone.sign(order["order"])
    server.post("/transactions/apple", {"signedTransaction": transaction["jws"]})
    phone.put("owned", phone.sign(order["order"], again=transaction))
    other = server.order("s12-other")
    report = phone.run(log_in(other), {"restore": True})
    assert report["outcomes"] == ["ownedByOther"] and phone.network.posts[-1]["status"] == 409
    assert server.entitlements("s12")["active"] and not server.entitlements("s12-other")["active"]


@pytest.mark.parametrize("code", ["expired_stream_name", "forged_stream_name"])
def test_stream_that_does_not_count(server, phone, code):
    order, transaction = sold(phone, f"s13-{code}")
    name = order["signed_stream"]
    stale = {**order, "signed_stream": expired(name) if code == "expired_stream_name" else name[:-4] + "0000"}
    report = phone.run({"buy": [purchase(stale)]}, patience=1)
    assert report["outcomes"] == ["loggedOut"] and report["kept"] == 1
    # The name may be refused for the entitlements before it is posted with.
    answered = [asked for asked in phone.network.posts + phone.network.questions if asked["status"]]
    assert {(asked["status"], asked["error"]) for asked in answered} == {(403, code)}
    assert is_done(phone.run(log_in(order))) and phone.finished == [transaction["id"]]


def test_expired_stream_renewed_by_an_order(server, phone):
    """By the app itself, while it runs: nobody logs in."""
    order, transaction = sold(phone, "s13r")
    stale = {**order, "signed_stream": expired(order["signed_stream"])}
    report = phone.run({"buy": [purchase(stale)]}, backend=server.backend("s13r"), state="current")
    assert is_done(report) and phone.finished == [transaction["id"]]
    # The next process asks with the renewed name.
    assert phone.run(state="current")["active"] == ["pro.annual"]
    # The name may be renewed for the entitlements before it is posted with.
    assert [post["status"] for post in phone.network.posts][-2:] in ([403, 200], [200])


def test_restored_on_a_new_phone_by_an_order(server, phone):
    order = server.order("s17r", "lifetime")
    phone.put("owned", phone.sign(order["order"], "lifetime", kind="Non-Consumable"))
    report = phone.run({"restore": True}, backend=server.backend("s17r"), state="current")
    assert "granted" in report["outcomes"][0] and report["active"] == ["lifetime"]


@pytest.mark.parametrize("years", [-1, 1])
def test_clock_wrong_by_a_year(server, phone, years):
    order, transaction = sold(phone, f"s14-{years}")
    phone.network.mode = "busy"
    report = phone.run({"buy": [purchase(order)]}, clock_error=years * 31_536_000, patience=1)
    assert "busy" in report["outcomes"][0]
    phone.network.mode = "up"
    assert is_done(phone.run()) and phone.finished == [transaction["id"]]


@pytest.mark.parametrize("mode", MODES)
def test_hundred_unfinished_consumables_killed_again_and_again(server, phone, mode):
    """Each process dies fifty actions after its start, wherever that is; a hundred need some four hundred."""
    user = f"s15-{mode}"
    order = server.order(user, "coins")
    for _ in range(100):
        phone.put("open", phone.sign(product="coins", kind="Consumable"))
    phone.network.modes = [mode]
    lives, numbers = 0, {int(name) for name in phone.names("open")}
    while (report := phone.run(log_in(order), kill_before=50 + lives, pace=PACE)) is None:
        lives += 1
    assert lives > 3 and is_done(report) and set(phone.finished) == numbers
    held = server.entitlements(user)["contracts"]
    assert {item["product"] for item in held} == {"coins"} and len(held) == 100


def test_bought_for_good_and_restored_on_another_phone(server, phone, tmp_path):
    order, transaction = sold(phone, "s17", "lifetime", kind="Non-Consumable")
    assert is_done(phone.run({"buy": [purchase(order, "lifetime")]}))
    with Phone(tmp_path / "new", server) as new:
        new.put("owned", transaction)
        report = new.run(log_in(order), {"restore": True}, state="current")
        assert "granted" in report["outcomes"][0] and report["active"] == ["lifetime"]
        new.check_rules()


@pytest.fixture
def lone_server(tmp_path):
    """For tests that kill it."""
    server = Server(tmp_path / "server")
    yield server
    server.program.stop()


def test_entitlements_while_server_and_app_come_and_go(lone_server, tmp_path):
    server, phone = lone_server, Phone(tmp_path / "phone", lone_server)
    user, questions = "e1", phone.network.questions
    log_in = {"logIn": server.order(user)["signed_stream"]}
    report = phone.run(log_in, state="current")
    assert report["active"] == [] and questions[-1]["status"] == 200
    server.trigger("SUBSCRIBED/INITIAL_BUY", user)
    assert phone.run(log_in, state="current")["active"] == ["pro.annual"] and questions[-1]["status"] == 200
    tag = questions[-1]["ETag"]

    # Neither a restart nor another user's purchase makes it new.
    server.restart()
    server.trigger("SUBSCRIBED/INITIAL_BUY", "e1-other")
    assert phone.run(log_in, state="current")["active"] == ["pro.annual"]
    assert questions[-1] == {"path": questions[0]["path"], "status": 304, "known": tag, "error": None, "ETag": tag}

    # Without the server, and without the network, it is what was known last.
    for mode in ("busy", "portal", "down"):
        phone.network.mode = mode
        assert phone.run(log_in, state="last_known")["active"] == ["pro.annual"]
    phone.network.mode = "up"
    server.program.kill()
    assert phone.run(log_in, state="last_known")["active"] == ["pro.annual"] and questions[-1]["status"] == 502
    server.program.start()
    server.program.wait_until_listening()

    server.trigger("REFUND", user)
    assert phone.run(log_in, state="current")["active"] == [] and questions[-1]["status"] == 200
    assert phone.run(log_in, state="current")["active"] == [] and questions[-1]["status"] == 304
    # The next user of the device starts from nothing. The start still asks for the one before, and may be answered last.
    before = questions[-1]["path"]
    other = {"logIn": server.order("e1-other")["signed_stream"]}
    assert phone.run(other, state="current")["active"] == ["pro.annual"]
    first = next(question for question in questions if question["path"] != before)
    assert first["status"] == 200 and first["known"] is None and first["ETag"] != tag


def test_renewal_info_that_is_signed_anew_is_posted(server, tmp_path):
    """A cancellation signs no transaction: the store tells of it with the one that is finished already. Of what Xcode sells no
    webhook tells."""
    with Simulator(tmp_path / "simulator", server, Xcode(tmp_path / "xcode")) as phone:
        order, transaction = sold(phone, "s18")
        assert is_done(phone.run({"buy": [purchase(order)]}))
        posted = [None]
        for members, state in [({"autoRenewStatus": 0}, "cancelled"), ({"isInBillingRetryPeriod": True}, "in_grace_period")]:
            signed = int(time.time() * 1000)
            posted.append(phone.signer.renewal(transaction["jws"], signedDate=signed, **members))
            update = {"renewalInfo": posted[-1], "renewalInfoSignedDate": signed / 1000 - 978_307_200}
            phone.put("updates", {**transaction, **update})
            # The next process hears of it, and ends when its time is up.
            phone.run(patience=2, state="never")
            assert [(post["status"], post["renewal"]) for post in phone.network.posts] == [(200, jws) for jws in posted]
            assert [held["state"] for held in server.entitlements("s18")["contracts"]] == [state]


def until(condition, seconds=20):
    """Asks until it is so: what another process writes announces nothing."""
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.02)
    assert condition()


def test_entitlements_change_while_the_app_is_open(lone_server, tmp_path):
    """What a webhook brings is there without a tap, also after the server was gone for a while."""
    server, phone = lone_server, Phone(tmp_path / "phone", lone_server)
    log_in = {"logIn": server.order("l1")["signed_stream"]}
    command = phone.command(log_in, follows=True, state="never", patience=120)
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as app:
        until(lambda: len(phone.network.connections) == 1)
        server.trigger("SUBSCRIBED/INITIAL_BUY", "l1")
        until(lambda: phone.lines("access.log")[-1:] == ['["pro.annual"]'])
        server.restart()
        until(lambda: len(phone.network.connections) == 2)
        server.trigger("REFUND", "l1")
        until(lambda: phone.lines("access.log")[-1:] == ["[]"])
        app.kill()
    assert "since=" in phone.network.connections[1].url


def test_bought_in_two_simulators(server, tmp_path):
    """Both count from 0, one is erased and counts again, and each purchase is its buyer's own."""
    xcode = Xcode(tmp_path / "xcode")
    for number, user in enumerate(["x1", "x2", "x3"]):
        with Simulator(tmp_path / f"simulator{number}", server, xcode) as phone:
            order, transaction = sold(phone, user)
            assert transaction["id"] == 0
            report = phone.run({"buy": [purchase(order)]})
            assert is_done(report) and "granted" in report["outcomes"][0] and phone.finished == [0]
            assert phone.run(log_in(order), state="current")["active"] == ["pro.annual"]
            phone.check_rules()
    for user in ("x1", "x2", "x3"):
        held = server.entitlements(user)["contracts"]
        assert [(item["environment"], item["active"]) for item in held] == [("Xcode", True)]


def test_refused_after_a_certificate_roll_over(lone_server, tmp_path):
    phone = Phone(tmp_path / "phone", lone_server)
    order, transaction = sold(phone, "s16")
    with lone_server.another_authority():
        assert "refused" in phone.run({"buy": [purchase(order)]}, patience=1)["outcomes"][0]
        assert [post["status"] for post in phone.network.posts] == [400]
        # Each process asks once, and loses nothing.
        assert phone.run(patience=1)["kept"] == 1 and phone.finished == []
        assert [post["status"] for post in phone.network.posts] == [400, 400]
    # Mended at the server, without a new version of the app.
    assert is_done(phone.run()) and phone.finished == [transaction["id"]]
    phone.check_rules()
