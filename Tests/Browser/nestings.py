"""Pages that nest sections, forms, cards, dialogs and frames, with statuses, prices and buttons, as a seed has it."""

import random

SIGNED = ' data-paycast-order="5f0c7d7a-6c58-4d0e-9a3a-2f1f9b7f5b11" data-paycast-stream="SIGNED"'
PRODUCTS = ["pro.annual", "pro.monthly", "coins"]
CONTAINERS = ["section", "form", "div class=card", "dialog open", "turbo-frame", "label", "div data-paycast-status"]
BUTTONS = ["button type=button", "button", 'a href="#"', "div role=button"]
STATUSES = ["<p data-paycast-status></p>", "<span data-paycast-status role=status>Ready</span>"]
# What becomes of an attempt, in an app's words. The last one is no answer at all.
ANSWERS = [{"status": word} for word in (
    "success granted delivered pending kept refused logged_out already_owned changes_at_renewal cancelled offline recorded"
    " not_logged_in not_allowed not_available not_eligible unknown_offer owned_by_other failed restored nothing requested"
    " nothing_bought already_requested shown"
).split()] + [{"status": "error", "error": "of the future"}, {"subscriptionIds": []}, {"subscriptionIds": ["1"]}, {}, None]


class Nesting:
    """`markup` of a page; `answers` to the taps on its buttons, in turn; `prices` and open `purchases` that the app tells."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.is_signed_in = self.chance(0.5)
        self.markup = self.container("section id=paywall", 0, SIGNED if self.is_signed_in else "")
        self.answers = [self.random.choice(ANSWERS) for _ in range(12)]
        self.prices = {product: f"{self.random.randint(1, 99)},99 €" for product in PRODUCTS if self.chance(0.7)}
        self.purchases = [
            {"productId": product, "status": self.random.choice(["buying", "pending", "kept"])}
            for product in PRODUCTS if self.chance(0.4)
        ]

    def chance(self, probability):
        return self.random.random() < probability

    def container(self, tag, depth, attributes=""):
        if self.is_signed_in and self.chance(0.15):
            attributes = SIGNED
        if self.chance(0.1):
            attributes += self.random.choice([' data-paycast-text-cancelled="Own words"', ' data-paycast-text-restoring=""'])
        parts = [self.part(depth + 1) for _ in range(self.random.randint(1, 4))]
        return f"<{tag}{attributes}>{' '.join(parts)}</{tag.split()[0]}>"

    def part(self, depth):
        if depth < 5 and self.chance(0.45):
            return self.container(self.random.choice(CONTAINERS), depth)
        return self.random.choice([self.button, self.button, self.status, self.price])()

    def status(self):
        return self.random.choice(STATUSES)

    def price(self):
        return f'<span data-paycast-price="{self.random.choice(PRODUCTS)}">$79.99</span>'

    def button(self):
        event, product = self.random.choice(["buy", "restore", "manage", "redeem", "refund"]), self.random.choice(PRODUCTS)
        tag = self.random.choice(BUTTONS)
        own = SIGNED if self.is_signed_in and self.chance(0.1) else ""
        inside = "".join(part() for part in (self.price, self.status, self.button) if self.chance(0.15))
        named = f'="{product}"' if event in ("buy", "refund") else ""
        return f"<{tag} data-paycast-{event}{named}{own}>{event} {inside}</{tag.split()[0]}>"
