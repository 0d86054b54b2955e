"""The operators' console, as a test uses it."""

import hashlib
import json
import re
import subprocess
import urllib.error
import urllib.request
from urllib.parse import quote

from playwright.sync_api import expect

from certificates import UNVERIFIED
from program import binary
from server import Server

RIGHTS = {"support": "read+act+personal+operate", "reader": "read", "admin": "all", "ana": "all"}


def secret(name):
    return hashlib.sha256(name.encode()).hexdigest()


def keys(*names):
    return ",".join(f"{name}:{RIGHTS[name]}:{secret(name)}" for name in names)


SETTINGS = {"PAYCAST_KEYS": keys(*RIGHTS)}


def console_server(folder, settings=None, arguments=()):
    return Server(folder, SETTINGS | (settings or {}), arguments)


def user_address(user):
    return "/console/users/" + quote(user, safe="")


def expect_user(page, user):
    """It is that user's page: its heading is what is known of the user."""
    expect(page.locator("main .of")).to_have_text(f"User {user}")


def heading(page):
    return page.get_by_role("heading", level=1)


def log_in(page, server, name="support"):
    """Pastes a key, from the page that asks for it."""
    page.goto(server.url + "/console")
    paste(page, secret(name))
    expect(page.get_by_role("button", name="Log out")).to_be_visible()


def paste(page, key):
    page.get_by_label("Key").fill(key)
    page.get_by_role("button", name="Log in").click()


def ask(server, path, data=None, **headers):
    """Status, headers and text of an answer, without a browser and without following it elsewhere."""
    headers = {name.replace("_", "-"): value for name, value in headers.items()}
    request = urllib.request.Request(getattr(server, "url", server) + path, data, headers)
    try:
        with OPENER.open(request, timeout=60) as answer:
            return answer.status, answer.headers, answer.read().decode()
    except urllib.error.HTTPError as answer:
        with answer:
            return answer.code, answer.headers, answer.read().decode()


class Still(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


OPENER = urllib.request.build_opener(Still, urllib.request.HTTPSHandler(context=UNVERIFIED))


def link(server, user, name="support"):
    """A link to one user's page, which a backend asks for."""
    headers = {"Authorization": f"Bearer {secret(name)}"}
    path = f"/users/{quote(user, safe='')}/console"
    status, _, text = ask(server, path, b"", **headers)
    assert status == 201, text
    return json.loads(text)["url"]


def deliver(server, store, event, *options):
    """Sends a store's event with `paycast trigger`, and returns the answer's fields; refused ones have none."""
    command = [binary(), "trigger", store, event, *options]
    answer = subprocess.run(command, cwd=server.folder, timeout=60, capture_output=True, text=True)
    return dict(re.findall(r"^(outcome|event|cursor) +(\S+)$", answer.stdout, re.MULTILINE))
