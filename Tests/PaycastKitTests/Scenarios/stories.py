"""What can happen to a purchase, told so that the app may be killed at any step and started again, over any network."""

import time
from dataclasses import dataclass, field

from signing import expired

# What the first posts meet that reach a network at all. The later ones get through.
MODES = ["up", "down", "slow", "busy", "lost", "portal"]
# The app's clock runs that much faster than ours, so that a second of back-off is a quarter.
PACE = 4
YEAR = 31_536_000
# For processes that have something left to do when they end.
BRIEFLY = {"patience": 0.3}


@dataclass
class Story:
    """One or more processes of an app. If the first is killed, `again` is what the next one does."""

    # What is to be finished at the end, unless the sheet that sells it never came up.
    transaction: dict
    steps: list
    again: list = field(default_factory=list)
    # The network of the first process, and what else its `run` is told.
    weather: str = "up"
    settings: dict = field(default_factory=dict)
    # The processes after it, as arguments of `run`. The last one brings everything home.
    later: list = field(default_factory=list)
    # What happens in the world once the first process has ended.
    meanwhile: object = None
    # Who has access at the end, and who never gets it.
    users: list = field(default_factory=list)
    strangers: list = field(default_factory=list)
    # How the server calls what was bought.
    state: str | None = None
    # Whether the user has access even if the sheet never came up.
    is_owned_before: bool = False
    opens: bool = True


def is_done(report):
    return report["kept"] == 0 and report["unfinished"] == 0


def purchase(order, product="pro.annual"):
    return {"product": product, "order": order["order"], "stream": order["signed_stream"]}


def log_in(order):
    return {"logIn": order["signed_stream"]}


def sold(phone, user, product="pro.annual", **details):
    """An order and the transaction that paying for it brings."""
    order = phone.server.order(user, product)
    transaction = phone.sign(order["order"], product, **details)
    phone.pays(transaction)
    return order, transaction


def bought(phone, user):
    order, transaction = sold(phone, user)
    return Story(transaction, [{"buy": [purchase(order)]}], users=[user])


def bought_offline(phone, user):
    """Posted the next day."""
    order, transaction = sold(phone, user)
    steps = [{"buy": [purchase(order)]}]
    return Story(transaction, steps, weather="down", settings=BRIEFLY, later=[{}], users=[user])


def webhook_first(phone, user):
    order, transaction = sold(phone, user)
    phone.server.post("/webhooks/apple", phone.server.signer.notification(transaction["jws"]))
    return Story(transaction, [{"buy": [purchase(order)]}], users=[user], is_owned_before=True)


def backend_first(phone, user):
    order, transaction = sold(phone, user)
    phone.server.post("/transactions/apple", {"signedTransaction": transaction["jws"], "user": user})
    return Story(transaction, [{"buy": [purchase(order)]}], users=[user], is_owned_before=True)


def asked_and_approved(phone, user):
    """Ask to Buy: the token in the transaction is the only link to the order, which was placed before the kill."""
    order = phone.server.order(user)
    phone.asks()
    transaction = phone.sign(order["order"])

    def approve():
        if phone.lines("sheets.log"):
            phone.asks(False)
            phone.put("open", transaction)
            phone.put("updates", transaction)

    later = [{}]
    return Story(transaction, [{"buy": [purchase(order)]}], meanwhile=approve, later=later, users=[user])


def double_tap(phone, user):
    order, transaction = sold(phone, user)
    return Story(transaction, [{"buy": [purchase(order), purchase(order)]}], users=[user])


def another_user_logs_in(phone, user):
    """Between buying and posting. Whatever the other does, the purchase is its buyer's."""
    order, transaction = sold(phone, user)
    other = phone.server.order(f"{user}-other")
    steps = [{"buy": [purchase(order)]}, {"logOut": True}, log_in(other)]
    later = [{"steps": [log_in(other)]}]
    return Story(
        transaction,
        steps,
        again=[log_in(other)],
        weather="down",
        settings=BRIEFLY,
        later=later,
        users=[user],
        strangers=[f"{user}-other"],
    )


def arrived(phone, user, transaction, order, users):
    phone.put("open", transaction)
    return Story(transaction, [log_in(order)], again=[log_in(order)], users=users)


def family_shared(phone, user):
    order = phone.server.order(user)
    return arrived(phone, user, phone.sign(inAppOwnershipType="FAMILY_SHARED"), order, [user])


def upgraded(phone, user):
    order = phone.server.order(user)
    return arrived(phone, user, phone.sign(order["order"], isUpgraded=True), order, [])


def offer_code(phone, user):
    """Without a token, so it is for whoever is logged in."""
    return arrived(phone, user, phone.sign(), phone.server.order(user), [user])


def offer_code_before_log_in(phone, user):
    phone.put("open", transaction := phone.sign())
    later = [{"steps": [log_in(phone.server.order(user))]}]
    return Story(transaction, [], settings=BRIEFLY, later=later, users=[user])


def refunded(phone, user):
    """Bought, finished, and refunded while the app runs."""
    order, transaction = sold(phone, user)
    phone.run({"buy": [purchase(order)]})
    refund = {"revocationDate": int(time.time() * 1000), "revocationReason": 0}
    transaction = phone.sign(order["order"], again=transaction, **refund)
    phone.put("updates", transaction)
    story = arrived(phone, user, transaction, order, [])
    story.strangers = [user]
    return story


def owned_by_other(phone, user):
    """A restore by somebody else: the server answers 409, and the purchase stays where it is."""
    order, other = phone.server.order(user), phone.server.order(f"{user}-other")
    transaction = phone.sign(order["order"])
    phone.server.post("/transactions/apple", {"signedTransaction": transaction["jws"]})
    phone.put("owned", transaction)
    steps = [log_in(other), {"restore": True}]
    return Story(transaction, steps, again=steps, users=[user], strangers=[f"{user}-other"])


def expired_stream(phone, user):
    order, transaction = sold(phone, user)
    stale = {**order, "signed_stream": expired(order["signed_stream"])}
    later = [{"steps": [log_in(order)]}]
    return Story(transaction, [{"buy": [purchase(stale)]}], settings=BRIEFLY, later=later, users=[user])


def clock_ahead(phone, user, error=YEAR):
    """Waits that a wrong clock has measured end when it is set right."""
    order, transaction = sold(phone, user)
    return Story(
        transaction,
        [{"buy": [purchase(order)]}],
        weather="busy",
        settings={**BRIEFLY, "clock_error": error},
        later=[{}],
        users=[user],
    )


def clock_behind(phone, user):
    return clock_ahead(phone, user, -YEAR)


def refused(phone, user):
    """A certificate roll-over: the next process tries again."""
    order, transaction = sold(phone, user)
    later = [{}]
    steps = [{"buy": [purchase(order)]}]
    return Story(transaction, steps, weather="refusing", settings=BRIEFLY, later=later, users=[user])


def of_type(phone, user, kind, state):
    product = kind.lower().replace(" ", ".")
    order, transaction = sold(phone, user, product, kind=kind)
    return Story(transaction, [{"buy": [purchase(order, product)]}], users=[user], state=state)


def consumable(phone, user):
    """Handed over, which opens nothing."""
    story = of_type(phone, user, "Consumable", "delivered")
    story.opens = False
    return story


def non_consumable(phone, user):
    return of_type(phone, user, "Non-Consumable", "owned")


def non_renewing(phone, user):
    return of_type(phone, user, "Non-Renewing Subscription", "active")


STORIES = [
    bought,
    bought_offline,
    webhook_first,
    backend_first,
    asked_and_approved,
    double_tap,
    another_user_logs_in,
    family_shared,
    upgraded,
    offer_code,
    offer_code_before_log_in,
    refunded,
    owned_by_other,
    expired_stream,
    clock_ahead,
    clock_behind,
    refused,
    consumable,
    non_consumable,
    non_renewing,
]
