"""A wrong block must fail, or nobody would notice one that the articles' test lets pass."""

from dataclasses import dataclass

import pytest

from blocks import Mistake, parsed
from walkthrough import Walkthrough


@dataclass(frozen=True)
class Text:
    name: str
    blocks: str
    # What the failure says.
    says: str

    def __str__(self):
        return self.name


ORDER = """```sh
curl -H "Authorization: Bearer $PAYCAST_API_KEY" -d '{"user":"42","product":"pro"}' http://127.0.0.1:8080/orders
```

"""
PAGE = """<!-- file: public/page.html -->
```html
<!doctype html><link rel="icon" href="data:,"><p id="paywall">Offers</p>
```

<!-- open: /page.html -->
"""
WRONG = [
    Text("a command that fails", "```sh\nfalse\ntrue\n```", "exits 1"),
    Text("a command that nobody knows", "```sh\npaycast pay\n```", "exits 64"),
    Text("a refused request", "```sh\ncurl http://127.0.0.1:8080/feed\n```", "answered 401"),
    Text("another status", ORDER + "<!-- answer 200 -->\n```json\n{}\n```", "printed is 200"),
    Text("a member that is not answered", ORDER + '<!-- answer 201 -->\n```json\n{"id":"1"}\n```', "has no id"),
    Text("an answer of nothing", "<!-- answer 200 -->\n```json\n{}\n```", "no request stands before"),
    Text("broken JSON", "```json\n{\n```", "Expecting property name"),
    Text(
        "output that never comes",
        "```sh\necho one\n```\n<!-- output -->\n```text\ntwo\n```",
        "'two' was not printed",
    ),
    Text("a wait in vain", "<!-- until: two -->\n```sh\necho one\n```", "never said 'two'"),
    Text("settings that are none", "<!-- serve -->\n```sh\nPAYCAST_KEY=1 paycast serve\n```", "PAYCAST_KEY"),
    Text("a broken template", "<!-- template: success.html -->\n```html\n<p>\n```", "never closed"),
    Text("a good template", '<!-- refused: news.html -->\n```html\n<p id="news">n</p>\n```', "the program takes it"),
    Text("a page that stays", PAGE + "<!-- shows: #paywall | Welcome -->", "Timeout"),
    Text("a page that is not there", "<!-- open: /nobody.html -->", "answered 404"),
    Text("a script that fails", PAGE.replace("<p ", "<script>paycast()</script><p "), "paycast is not defined"),
    Text("a script that is not there", '<!-- in: head -->\n```html\n<script src="/no.js"></script>\n```', "404"),
    Text("broken Ruby", "```ruby\ndef\n```", "syntax error"),
    Text("broken ERB", "```erb\n<% if %>\n```", "syntax error"),
    Text("a proxy that nobody runs", "<!-- proxy squid -->\n```text\n```", "runs no such example"),
    Text("a language that nobody runs", "```java\nint a = 1;\n```", "nothing runs such a block"),
    Text("Swift of the wrong type", "```swift\nlet a: Int = \"1\"\n```", "cannot convert value"),
    Text(
        "Swift that PaycastKit has not",
        "<!-- file: Shop.swift -->\n```swift\nimport PaycastKit\nfunc pay(_ kit: Purchases) { kit.pay() }\n```",
        "has no member 'pay'",
    ),
    Text(
        "Kotlin that Play Billing has not",
        "<!-- file: Shop.kt -->\n```kotlin\nfun pay(kit: com.android.billingclient.api.BillingClient) = kit.pay()\n```",
        "unresolved reference: pay",
    ),
    Text("no language", "```\ntext\n```", "nothing runs such a block"),
    Text("a mark without a reason", "<!-- not run -->\n```java\n```", "say why"),
    Text("a file elsewhere", "<!-- file: ../x -->\n```text\n```", "outside"),
]


@pytest.mark.parametrize("text", WRONG, ids=str)
def test_a_wrong_block_fails(tmp_path, browser, text, monkeypatch):
    monkeypatch.setattr("pages.PATIENCE", 2_000)
    walkthrough = Walkthrough("wrong.md", text.blocks, tmp_path, browser)
    try:
        with pytest.raises(Exception) as failure:
            walkthrough.reach(walkthrough.steps[-1])
        assert text.says in str(failure.value)
    finally:
        walkthrough.pages.errors.clear()
        walkthrough.close()


@pytest.mark.parametrize("text", [
    "```sh\ntrue",
    "<!-- runs -->\n```sh\ntrue\n```",
    "<!-- not run: here -->\n\nWords.\n```sh\ntrue\n```",
    "```sh one\ntrue\n```",
    "<!-- not run: here -->",
])  # fmt: skip
def test_a_mark_that_marks_nothing_is_a_mistake(text):
    with pytest.raises(Mistake):
        parsed("wrong.md", text)
