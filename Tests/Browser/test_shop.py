"""A shop that sells all four types of products: each purchase changes the elements of what it opens, and no others."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from playwright.sync_api import expect

from conftest import turbo
from program import binary
from server import Server

CATALOG = {
    "entitlements": {"pro": {"name": "Pro"}, "maps": {"name": "Maps"}, "season": {"name": "The season"}},
    "products": {
        "pro.annual": {"kind": "subscription", "entitlements": ["pro"]},
        "atlas": {"kind": "non_consumable", "entitlements": ["maps"]},
        "summer": {"kind": "non_renewing", "entitlements": ["season"]},
        "coins": {"kind": "consumable", "name": "Coins"},
    },
}
ELEMENTS = ["paywall", "subscription_status", "paywall_maps", "paywall_season", "purchase"]
TEMPLATE = """<section id="{{paywall}}" data-shows="%s" data-state="{{state}}">{{entitlement_name}}: {{product}}</section>
<div id="{{subscription_status}}" data-shows="%s" data-state="{{state}}">{{entitlement_name}}</div>
"""


@pytest.fixture
def shop(tmp_path):
    catalog = tmp_path / "catalog.json"
    catalog.write_text(json.dumps(CATALOG))
    server = Server(tmp_path, {"PAYCAST_CATALOG": str(catalog)})
    for file in (server.public / "fragments").glob("*.html"):
        if file.name.startswith("purchase") or "." in file.stem:
            continue
        file.write_text(TEMPLATE % (file.stem, file.stem))
    for own in ("maps", "pro"):
        shutil.rmtree(server.public / "fragments" / own)
    server.stop()
    server.start()
    shutil.copy(turbo(), server.public / "turbo.js")
    shutil.copy(Path(__file__).parent / "turbo_elements.js", server.public)
    yield server
    server.stop()


@pytest.fixture
def shop_page(shop, open_page):
    def shop_page(user, source=None):
        elements = "".join(f'<div id="{element}">offer</div>' for element in [*ELEMENTS, "fence0", "fence1"])
        page = shop.public / "shop.html"
        source = source or shop.source(user, "sse")
        page.write_text(
            '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Shop</title>'
            '<link rel="icon" href="data:,"><script type="module" src="/turbo.js"></script>'
            '<script type="module" src="/turbo_elements.js"></script></head>'
            f"<body>{source}{elements}</body></html>"
        )
        return open_page(f"{shop.url}/shop.html")

    return shop_page


def buy(server, kind, product, event="ONE_TIME_CHARGE", user="ana"):
    say(server, event, "--kind", kind, "--product", product, "--user", user)


def say(server, *words):
    command = [binary(), "trigger", "apple", *words]
    done = subprocess.run(command, cwd=server.folder, timeout=60, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def shown(page):
    return {element: page.locator(f"#{element}").get_attribute("data-shows") for element in ELEMENTS}


def test_each_purchase_changes_what_it_opens(shop, shop_page):
    page = shop_page("ana")
    buy(shop, "non_consumable", "atlas")
    expect(page.locator("#paywall_maps")).to_have_text("Maps: atlas")
    assert shown(page)["paywall"] is None and shown(page)["subscription_status"] is None

    say(shop, "SUBSCRIBED/INITIAL_BUY", "--product", "pro.annual", "--user", "ana")
    expect(page.locator("#paywall[data-shows=success]")).to_have_text("Pro: pro.annual")
    say(shop, "DID_FAIL_TO_RENEW/GRACE_PERIOD", "--product", "pro.annual", "--user", "ana", "--expect", "warn_billing")
    expect(page.locator("#paywall[data-shows=warn_billing]")).to_be_visible()

    buy(shop, "non_renewing", "summer")
    expect(page.locator("#paywall_season")).to_have_text("The season: summer")
    say(shop, "EXPIRED/BILLING_RETRY", "--product", "pro.annual", "--user", "ana")
    expect(page.locator("#paywall[data-shows=paywall]")).to_be_visible()
    assert shown(page)["paywall_maps"] == shown(page)["paywall_season"] == "success"


def test_coins_change_no_offers(shop, shop_page):
    page = shop_page("ana")
    buy(shop, "consumable", "coins")
    expect(page.locator("#purchase")).to_contain_text("Coins")
    assert [shown(page)[element] for element in ELEMENTS[:4]] == [None] * 4
    held = shop.request("GET", "/users/ana/entitlements")
    assert not held["active"] and not any(item["active"] for item in held["entitlements"].values())
    # A page that is rendered later, with a cursor or without.
    source = shop.source("ana", "sse")
    for number, later in enumerate((source, source[: source.index("&amp;since=")] + '"></turbo-stream-source>')):
        late = shop_page("ana", later)
        # What the page is sent for its state comes before what is committed after it.
        fence = {"user": "ana", "action": "update", "target": f"fence{number}", "html": "reached"}
        shop.request("POST", "/broadcasts", fence)
        expect(late.locator(f"#fence{number}")).to_have_text("reached")
        assert late.locator("#purchase").inner_text() == "offer" and shown(late)["paywall"] is None
