"""public/paycast-native.js comes to rest after whatever an app answers, however a page is made."""

import re
import shutil

import pytest
from playwright.sync_api import expect

from nestings import Nesting
from program import ROOT

SEEDS = range(150)
SCRIPTS = "".join(f"<script {script}></script>" for script in [
    'src="/rest.js"', 'src="/native_adapter.js" data-shop="{shop}"', 'type="module" src="/paycast-native.js"'
])

# Taps on each button and answers it, then tells purchases and prices once more. After each step the page comes to rest, with
# all that it had before.
TRY = """async ({ answers, purchases, prices }) => {
  const all = selector => [...document.querySelectorAll(selector)]
  const buttons = all(["buy", "restore", "manage", "redeem", "refund"].map(name => `[data-paycast-${name}]`).join())
  const marked = [...buttons, ...all("[data-paycast-price]")]
  let statuses
  const rested = async (step, long) => {
    await rest(long).catch(error => { throw new Error(`${step}: ${error.message}`) })
    const lost = marked.filter(element => !element.isConnected)
    if (lost.length) throw new Error(`${step}: lost ${lost.map(element => element.outerHTML)}`)
    const count = all("[data-paycast-status]").length
    if (count > (statuses ??= count)) throw new Error(`${step}: ${count} statuses, and ${statuses} at first`)
  }
  const tell = (event, data) => native.of(event).length && native.reply(native.of(event).at(-1), data)
  await rested("at first")
  for (const [at, button] of buttons.entries()) {
    const known = native.received.length
    button.click()
    const answer = answers[at % answers.length]
    const message = native.received.slice(known).find(({ event }) => event !== "state")
    if (message && answer) {
      if (message.event === "purchase") native.finish(message.data.productId, answer)
      else native.reply(message, answer)
    }
    await rested(`tap ${at}, answered ${JSON.stringify(answer)}`)
  }
  await rested("taps", 8)
  tell("state", { purchases })
  await rested("purchases")
  tell("prices", { prices })
  await rested("prices")
  document.dispatchEvent(new Event("visibilitychange"))
  await rested("appearance")
  for (const name of ["turbo:before-cache", "turbo:load"]) document.dispatchEvent(new Event(name))
  await rested("visit")
}"""


@pytest.fixture
def trouble(server, open_page):
    """What goes wrong on a page of an app with this markup, if anything does."""
    for script in ("Browser/rest.js", "Clients/native_adapter.js"):
        shutil.copy(ROOT / "Tests" / script, server.public)
    page = None

    def trouble(markup, answers, purchases=(), prices=None, shop="shop", script=""):
        nonlocal page
        head = f'<meta charset="utf-8"><link rel="icon" href="data:,">{SCRIPTS.format(shop=shop)}'
        document = f"<!doctype html><title>An app</title>{head}<body>{markup}<script>{script}</script>"
        (server.public / "rest.html").write_text(document)
        # Another address each time: none is told from a cache.
        address = f"{server.url}/rest.html?{shop}"
        if page:
            page.goto(address)
        else:
            page = open_page(address)
        tried = {"answers": answers, "purchases": purchases, "prices": prices or {"pro.annual": "79,99 €"}}
        try:
            page.evaluate(TRY, tried)
        except Exception as error:
            return str(error).splitlines()[0]

    trouble.page = lambda: page
    return trouble


BUY = '<button data-paycast-buy="pro.annual">Annual <span data-paycast-price="pro.annual">$79.99</span></button>'
RESTORE = "<button data-paycast-restore hidden>Restore purchases</button>"
# What kept the renderer for ever, with the first tap on Restore.
CASES = {
    "a form in the paywall": f"<section id=paywall><form>{BUY}</form>{RESTORE}</section>",
    "a card in the paywall": f"<section id=paywall><div class=card>{BUY}</div>{RESTORE}</section>",
    "a status after the form": f"<section id=paywall><form>{BUY}</form><p data-paycast-status></p>{RESTORE}</section>",
    "a dialog": f"<dialog open><form>{BUY}</form>{RESTORE}</dialog>",
    "a frame": f"<turbo-frame id=paywall><div>{BUY}</div>{RESTORE}</turbo-frame>",
    "a status before": f"<section id=paywall><p data-paycast-status></p><form>{BUY}</form>{RESTORE}</section>",
    "flat": f"<section id=paywall>{BUY}{RESTORE}</section>",
}


@pytest.mark.parametrize("name", CASES)
def test_a_page_for_nobody(trouble, name):
    assert trouble(CASES[name], [{"status": "cancelled"}, {"status": "not_logged_in"}]) is None


def examples():
    """What the articles print for a paywall, by article and number, as it is and for nobody."""
    for article in ("HotwireNative", "AppReview", "Android"):
        text = (ROOT / "Sources" / "paycast" / "Documentation.docc" / f"{article}.md").read_text()
        for number, block in enumerate(re.findall(r"```html\n(.*?)```", text, re.DOTALL)):
            if "data-paycast-" in block:
                yield f"{article} {number}", block
                yield f"{article} {number} for nobody", re.sub(r' data-paycast-(order|stream)="[^"]*"', "", block)


EXAMPLES = dict(examples())


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example(trouble, name):
    assert trouble(EXAMPLES[name], [{"status": "cancelled"}, {"status": "not_logged_in"}, {"status": "kept"}]) is None


TRANSLATOR = """new MutationObserver(() => {
  for (const line of document.querySelectorAll("[role=status] p")) {
    const translated = line.textContent.toUpperCase()
    if (line.textContent !== translated) line.textContent = translated
  }
}).observe(document, { subtree: true, childList: true })"""


def test_a_script_that_changes_everything_back_does_not_stop_the_page(trouble):
    told = trouble(CASES["flat"], [{"status": "cancelled"}], script=TRANSLATOR)
    assert "No rest" in told, "each of the two hears the other one"
    expect(trouble.page().get_by_role("status")).to_have_text("NOTHING WAS RESTORED.")


ELEMENT = """customElements.define("fancy-button", class extends HTMLElement {
  static observedAttributes = ["aria-busy"]
  attributeChangedCallback() { this.innerHTML = '<b data-paycast-price="pro.annual"></b>' }
})"""


def test_what_an_element_makes_of_its_state_is_looked_at(trouble):
    markup = "<section><fancy-button data-paycast-buy=pro.annual>Buy</fancy-button></section>"
    assert trouble(markup, [None], script=ELEMENT) is None
    expect(trouble.page().locator("b")).to_have_text("79,99 €")


def test_any_page(trouble):
    found = []
    for seed in SEEDS:
        page = Nesting(seed)
        if told := trouble(page.markup, page.answers, page.purchases, page.prices, shop=seed):
            found.append(f"seed {seed}: {told}\n{page.markup}")
    assert not found, "\n\n".join(found)
