"""In three engines: the account was switched at the same address, and the page hears the new user's stream and no other.

With a TURBO_JS of 8.0.13 or later, Turbo itself morphs the page, with `paycast.js` and without. With any Turbo, the script
follows an element whose attributes are changed, as an earlier morph does.
"""

import json
import shutil
import time

import morphs
import pytest
from places import ACTION_CABLE, BROWSER, HERE, turbo

SCRIPT = '<script type="module" src="/paycast.js"></script>'
KINDS = ["sse", "websocket", "cable"]


class Account:
    """A page of the app at one address, whoever is signed in."""

    def __init__(self, server, browser, name, kind, script):
        self.server, self.browser, self.name, self.kind = server, browser, name, kind
        self.head = morphs.HEAD + '<script src="/counting.js"></script>' + script
        for file in (BROWSER / "turbo_elements.js", HERE / "counting.js", ACTION_CABLE):
            shutil.copy(file, server.public)
        shutil.copy(turbo(), server.public / "turbo.js")
        self.sign_in("ana")
        browser.pages[name] = browser.show(f"{server.url}/{name}.html")

    def source(self, user):
        if self.kind == "cable":
            return self.server.cable_source(self.name + user)
        return self.server.source(self.name + user, self.kind)

    def sign_in(self, user):
        page = (BROWSER / "app.html").read_text().replace("<!-- head -->", self.head)
        path = self.server.public / f"{self.name}.html"
        path.write_text(page.replace("<!-- source -->", self.source(user)))

    def tell(self, user, text):
        self.server.notice(self.name + user, text)

    def until_told(self, text):
        return self.browser.wait(self.name, lambda report: text in report.notices, time.monotonic() + 120).notices

    def change_element(self, user):
        call = f"({morphs.CHANGE})({json.dumps(self.source(user))})"
        self.browser.evaluate(self.browser.pages[self.name], f"Promise.resolve({call}).then(() => 'changed')")

    def close(self):
        self.browser.close(self.browser.pages.pop(self.name))


@pytest.fixture
def account(server, browser, user):
    accounts = []

    def account(kind, script):
        accounts.append(Account(server, browser, user, kind, script))
        accounts[0].tell("ana", "open")
        assert accounts[0].until_told("open") == ["open"]
        return accounts[0]

    yield account
    for each in accounts:
        each.close()


def expect_only_ben(account):
    account.tell("ben", "for ben")
    assert "for ben" in account.until_told("for ben")
    account.tell("ana", "for ana")
    for fence in ("fence", "second fence"):
        account.tell("ben", fence)
        notices = account.until_told(fence)
        assert fence in notices and "for ana" not in notices


@pytest.mark.parametrize("script", ["", SCRIPT], ids=["stock", "paycast.js"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_morph_into_the_page_of_another_user(account, kind, script):
    if not morphs.replaces_other_ids(turbo()):
        pytest.skip("needs Turbo 8.0.13: set TURBO_JS")
    page = account(kind, script)
    page.sign_in("ben")
    page.server.broadcast(page.name + "ana", morphs.REFRESH)
    expect_only_ben(page)


@pytest.mark.parametrize("kind", KINDS)
def test_the_script_follows_an_element_whose_stream_is_changed(account, kind):
    page = account(kind, SCRIPT)
    page.change_element("ben")
    expect_only_ben(page)
