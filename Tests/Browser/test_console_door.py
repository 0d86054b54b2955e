"""Who comes into the console, and who does not."""

import base64
import re
import signal
import time
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest
from playwright.sync_api import expect

from conftest import launch
from console import ask, console_server, expect_user, heading, keys, link, log_in, paste, secret, user_address
from program import Paycast
from secure import secure_server

EIGHT_HOURS = 28_800


@pytest.fixture
def server(tmp_path):
    server = console_server(tmp_path)
    yield server
    server.stop()


@pytest.fixture
def visitor(open_page, server):
    """A browser of its own. Pages that somebody may not see are answered with an error, which is none of the page's."""

    def visitor(address="/console", **options):
        return open_page(server.url + address, outages=True, **options)

    return visitor


def is_outside(page):
    expect(page.get_by_label("Key")).to_be_visible()
    expect(page.get_by_role("button", name="Log out")).to_have_count(0)


def session(page):
    return next(cookie for cookie in page.context.cookies() if cookie["name"].endswith("paycast"))


def test_a_key_opens_the_page_that_was_asked_for(visitor):
    page = visitor(user_address("a/b?c"))
    is_outside(page)
    paste(page, secret("support"))
    expect_user(page, "a/b?c")
    expect(page.get_by_role("banner")).to_contain_text("support")


def test_a_wrong_key_is_told_so(visitor):
    page = visitor()
    paste(page, secret("nobody"))
    expect(page.get_by_role("alert")).to_be_visible()
    is_outside(page)


def test_the_cookie_is_for_this_console_alone(visitor, server):
    page = visitor()
    log_in(page, server)
    cookie = session(page)
    assert (cookie["httpOnly"], cookie["sameSite"], cookie["path"]) == (True, "Strict", "/")
    assert 0 < cookie["expires"] - time.time() <= EIGHT_HOURS


def test_over_tls_the_cookie_is_for_this_host_alone(tmp_path, open_page):
    server = secure_server(tmp_path)
    try:
        page = open_page(server.url + "/console/enter", ignore_https_errors=True)
        expect(page.get_by_role("button", name="Log out")).to_be_visible()
        cookie = session(page)
        assert (cookie["name"], cookie["secure"], cookie["domain"]) == ("__Host-paycast", True, "127.0.0.1")
    finally:
        server.stop()


def test_without_a_named_key_there_is_no_console(tmp_path):
    settings = {"PAYCAST_API_KEY": secret("api"), "PAYCAST_STREAM_KEYS": secret("stream")}
    server = Paycast(tmp_path, settings=settings)
    try:
        status, _, nothing = ask(server, "/nowhere")
        assert status == 404
        for path in ("/console", "/console/enter", "/console/assets/console.css", "/console/users/42"):
            assert ask(server, path)[::2] == (404, nothing), path
        assert ask(server, "/console/session", b"key=1", Sec_Fetch_Site="same-origin")[0] == 404
    finally:
        server.stop()


def test_a_forged_cookie_opens_nothing(visitor, server):
    page = visitor()
    log_in(page, server, "reader")
    cookie = session(page)
    payload, code = cookie["value"].split(".")
    text = base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4))
    forged = base64.urlsafe_b64encode(text.replace(b"reader", b"admin")).decode().rstrip("=")
    page.context.add_cookies([cookie | {"value": f"{forged}.{code}"}])
    page.reload()
    is_outside(page)


def test_the_end_of_a_key_ends_its_sessions(visitor, server):
    pages = {name: visitor() for name in ("support", "reader")}
    for name, page in pages.items():
        log_in(page, server, name)
    server.stop()
    server.environment["PAYCAST_KEYS"] = keys("reader")
    server.start()
    for page in pages.values():
        page.reload()
    is_outside(pages["support"])
    expect(pages["reader"].get_by_role("banner")).to_contain_text("reader")


def test_a_key_that_is_taken_out_while_the_server_runs_ends_its_sessions(tmp_path, open_page):
    file = tmp_path / "keys"
    file.write_text(keys("support", "reader"))
    server = console_server(tmp_path, {"PAYCAST_KEYS_FILE": str(file), "PAYCAST_KEYS": ""})
    try:
        page = open_page(server.url + "/console", outages=True)
        log_in(page, server)
        file.write_text(keys("reader"))
        server.process.send_signal(signal.SIGHUP)
        server.wait_for_log("reload")
        page.reload()
        is_outside(page)
    finally:
        server.stop()


def test_nobody_knows_a_session_before_it_begins(visitor, server):
    """Fixation: a cookie that somebody else has put there does not become the session."""
    stranger, page = visitor(), visitor()
    log_in(stranger, server, "reader")
    planted = session(stranger)
    page.context.add_cookies([planted])
    page.reload()
    expect(page.get_by_role("banner")).to_contain_text("reader")
    status, headers, _ = ask(
        server,
        "/console/session",
        f"key={secret('support')}".encode(),
        Sec_Fetch_Site="same-origin",
        Cookie=f"{planted['name']}={planted['value']}",
    )
    assert status == 303
    assert planted["value"] not in headers["Set-Cookie"]
    page.context.clear_cookies()
    log_in(page, server)
    assert session(page)["value"] != planted["value"]
    stranger.reload()
    expect(stranger.get_by_role("banner")).to_contain_text("reader")


def test_a_log_out_ends_the_session_in_every_tab(visitor, server):
    page = visitor()
    log_in(page, server)
    tab = page.context.new_page()
    tab.goto(server.url + user_address("42"))
    kept = session(page)
    page.get_by_role("button", name="Log out").click()
    is_outside(page)
    tab.reload()
    is_outside(tab)
    # Whoever has copied the cookie has nothing.
    page.context.add_cookies([kept])
    page.reload()
    is_outside(page)


def test_the_back_button_brings_nothing_back(playwright, visitor, server):
    with launch(playwright, ignore_default_args=["--disable-back-forward-cache"]) as browser:
        page = visitor(browser=browser)
        log_in(page, server)
        page.goto(server.url + user_address("ana"))
        expect_user(page, "ana")
        page.get_by_role("button", name="Log out").click()
        is_outside(page)
        page.go_back(wait_until="commit")
        is_outside(page)
        expect(page.locator("main .of")).to_have_count(0)


def test_guessing_is_limited(visitor):
    page = visitor()
    # At most five tries in one minute, and five in the next.
    for number in range(11):
        paste(page, secret(f"guess {number}"))
        expect(page.get_by_role("alert").or_(page.get_by_text("Too many tries"))).to_be_visible()
        if page.get_by_text("Too many tries").is_visible():
            break
        is_outside(page)
    expect(heading(page)).to_have_text("Too many tries")
    expect(page.locator("main")).to_contain_text(re.compile(r"Wait \d+ second"))


# Of somebody else, on this machine: the browser sends our cookie along to another port of the same host.


class Stranger(SimpleHTTPRequestHandler):
    def log_message(self, *_):
        """Keeps requests out of the tests' output."""


@contextmanager
def strangers_pages(folder):
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Stranger, directory=folder)) as server:
        Thread(target=server.serve_forever).start()
        yield server.server_port
        server.shutdown()


@pytest.fixture
def stranger(tmp_path):
    folder = tmp_path / "stranger"
    folder.mkdir()
    with strangers_pages(folder) as port:
        yield folder, port


@pytest.fixture
def victim(browser, server):
    """Somebody who has logged in, and then opens a stranger's page; what that page is told is its own affair."""
    context = browser.new_context()
    page = context.new_page()
    log_in(page, server, "admin")
    yield page
    context.close()


HOSTS = ["127.0.0.1", "localhost"]


@pytest.mark.parametrize("host", HOSTS)
def test_a_page_of_another_origin_cannot_frame_it(server, stranger, victim, host):
    folder, port = stranger
    for name, path in [("overview", "/console"), ("user", "/console/users/42"), ("log-in", "/console/enter")]:
        (folder / "frame.html").write_text(f'<iframe id="frame" src="{server.url}{path}"></iframe>')
        with victim.expect_console_message(lambda entry: "frame-ancestors" in entry.text or "frame" in entry.text):
            victim.goto(f"http://{host}:{port}/frame.html")
        frame = victim.frame_locator("#frame")
        expect(frame.get_by_role("heading")).to_have_count(0)
        expect(frame.get_by_role("button", name="Log out")).to_have_count(0)


FORGERIES = {
    "grant": ("/console/users/42/grant", {"product": "pro", "reason": "mine"}),
    "erase": ("/console/users/42/erase", {"reason": "mine", "user": "42"}),
    "log-out": ("/console/log-out", {}),
    "session": ("/console/session", {"key": secret("reader")}),
}


@pytest.mark.parametrize("host", HOSTS)
@pytest.mark.parametrize("forgery", FORGERIES)
def test_a_page_of_another_origin_can_post_nothing(server, stranger, victim, forgery, host):
    folder, port = stranger
    path, fields = FORGERIES[forgery]
    server.trigger("SUBSCRIBED/INITIAL_BUY", "42")
    before = server.request("GET", "/users/42")
    inputs = "".join(f'<input name="{name}" value="{value}">' for name, value in fields.items())
    form = f'<form method="post" action="{server.url}{path}">{inputs}<button>Win a prize</button></form>'
    (folder / "form.html").write_text(form)
    victim.goto(f"http://{host}:{port}/form.html")
    with victim.expect_navigation() as navigation:
        victim.get_by_role("button", name="Win a prize").click()
    assert navigation.value.status == 403
    victim.goto(server.url + "/console")
    expect(victim.get_by_role("banner")).to_contain_text("admin")
    assert server.request("GET", "/users/42") == before


def test_a_post_that_says_nothing_of_its_page_is_refused(server, victim):
    cookie = session(victim)
    status, _, _ = ask(server, "/console/log-out", b"", Cookie=f"{cookie['name']}={cookie['value']}")
    assert status == 403
    victim.reload()
    expect(victim.get_by_role("banner")).to_contain_text("admin")


# A link for one user, which a backend asks for.


def test_a_link_opens_one_users_page(visitor, server):
    server.trigger("SUBSCRIBED/INITIAL_BUY", "42")
    address = link(server, "42")
    # What previews links does not press its button.
    for _ in range(3):
        assert ask(server, address.removeprefix(server.url))[0] == 200
    page = visitor(address.removeprefix(server.url))
    page.get_by_role("main").get_by_role("button").click()
    expect_user(page, "42")
    expect(page.get_by_role("banner")).to_contain_text("support")
    expect(page.get_by_role("navigation", name="Console")).to_have_count(0)
    expect(page.locator("main form[method=post]")).to_have_count(0)
    for path in ("/console", "/console/users/43", "/console/live", "/console/attention", "/console/nodes"):
        answer = page.goto(server.url + path)
        assert answer.status == 403, path
    for path in ("/console/search?q=43", "/console/users/42/grant"):
        assert page.goto(server.url + path).status in (403, 404), path


def test_a_link_that_was_used_is_worth_nothing(visitor, server):
    address = link(server, "42").removeprefix(server.url)
    first, thief = visitor(address), visitor(address)
    first.get_by_role("main").get_by_role("button").click()
    expect_user(first, "42")
    thief.get_by_role("main").get_by_role("button").click()
    expect(thief.get_by_text("A link works once")).to_be_visible()
    assert not [cookie for cookie in thief.context.cookies() if cookie["value"]]
    thief.goto(server.url + user_address("42"))
    is_outside(thief)


def test_a_link_that_was_changed_is_worth_nothing(visitor, server):
    address = link(server, "42").removeprefix(server.url)
    head, _, code = address.partition("token=")[2].partition(".")
    user = base64.urlsafe_b64decode(head + "=" * (-len(head) % 4)).replace(b"\n42", b"\n43")
    forged = base64.urlsafe_b64encode(user).decode().rstrip("=")
    page = visitor(f"/console/enter?token={forged}.{code}")
    expect(page.get_by_text("A link works once")).to_be_visible()


def test_a_link_is_no_session_and_a_session_no_link(visitor, server):
    token = link(server, "42").partition("token=")[2]
    page = visitor()
    log_in(page, server)
    cookie = session(page)
    assert ask(server, f"/console/enter?token={cookie['value']}")[0] == 403
    page.context.add_cookies([cookie | {"value": token}])
    page.reload()
    is_outside(page)


# Rights


def test_what_a_key_may_not_do_is_not_offered(visitor, server):
    server.trigger("SUBSCRIBED/INITIAL_BUY", "42")
    page = visitor()
    log_in(page, server, "reader")
    page.goto(server.url + user_address("42"))
    expect_user(page, "42")
    actions = re.compile("grant|claim|erase|send|ask the store|replay|resend", re.IGNORECASE)
    expect(page.get_by_role("main").get_by_role("button", name=actions)).to_have_count(0)
    expect(page.get_by_role("main").get_by_role("link", name=re.compile("grant|erase", re.IGNORECASE))).to_have_count(0)
    for right in ("Attention", "Nodes"):
        expect(page.get_by_role("navigation").get_by_role("link", name=right)).to_have_count(0)
    for path in ("/console/users/42/grant", "/console/users/42/erase", "/console/attention", "/console/nodes"):
        assert page.goto(server.url + path).status == 403, path


def test_on_its_own_address_the_public_one_has_no_trace(tmp_path, open_page):
    server = console_server(tmp_path, {"PAYCAST_CONSOLE_BIND": "127.0.0.1:0"})
    try:
        _, _, nothing = ask(server, "/nowhere")
        for path in ("/console", "/console/enter", "/console/assets/console.css", "/console/users/42"):
            assert ask(server, path)[::2] == (404, nothing), path
        server.wait_for_log("console", "address=")
        address = re.search(r"console .*address=(http://\S+?)(/console\S*)?\s", server.log.read_text())[1]
        assert address != server.url
        page = open_page(address + "/console", outages=True)
        paste(page, secret("support"))
        expect(page.get_by_role("button", name="Log out")).to_be_visible()
        # Nothing else is there: no webhook, no stream, no demo.
        assert ask(address, "/")[1]["Location"] == "/console"
        for path in ("/up", "/metrics", "/users/42"):
            assert ask(address, path)[0] == 404, path
        assert ask(address, "/webhooks/apple", b"{}")[0] == 404
    finally:
        server.stop()
