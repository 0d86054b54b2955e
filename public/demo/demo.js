// The demo page: simulated stores, the list of committed events, and how a swap looks. The page itself needs none of
// this to be live: any Hotwire page has <turbo-stream-source> from @hotwired/turbo.

import { list, listForEver } from "./events.js"
import { animateSwaps } from "./swap.js"
import { happened, isSinceStart } from "./timeline.js"
import "./turbo.js"
import { joinPhone, tellSwap } from "./webview.js"

const user = document.body.dataset.user
const isPhone = document.documentElement.dataset.device === "phone"
const byID = (id) => document.getElementById(id)

/** What the newest fragment on the page says of the contract. */
const shown = (key) => byID("subscription_status")?.dataset[key] || byID("paywall")?.dataset[key] || ""

// MARK: What the store can say

const isOver = () => ["", "pending", "expired", "revoked", "moved"].includes(shown("state"))

/** What makes sense now, in each state of a contract. */
const sensible = {
    active: ["renew", "cancel", "upgrade", "downgrade", "pause", "grace", "retry", "expire", "refund"],
    cancelled: ["resume", "expire", "refund"],
    in_grace_period: ["recover", "retry", "expire", "refund"],
    in_billing_retry: ["recover", "expire", "refund"],
    paused: ["renew", "expire"],
    revoked: ["reversed"],
}

function offerSteps() {
    const stores = byID("stores")
    const held = [...stores.options].find((option) => option.value === shown("provider"))
    // A contract lives at the store where it was bought.
    if (held && !isOver()) stores.value = held.value
    stores.disabled = Boolean(held) && !isOver()
    const known = stores.selectedOptions[0].dataset.steps.split(" ")
    const steps = (sensible[shown("state")] ?? []).filter((step) => known.includes(step))
    for (const button of document.querySelectorAll("#store button")) {
        button.hidden = !steps.includes(button.value) || button.dataset.product === shown("product")
    }
    for (const group of document.querySelectorAll("#store .group")) {
        group.hidden = !group.querySelector("button:not([hidden])")
    }
    byID("nothing").hidden = steps.length > 0
}

// MARK: Delivery

/** Delivers one notification for this user, and says what became of it. */
async function deliver(step, product, button) {
    document.body.toggleAttribute("data-delivering", true)
    button?.setAttribute("aria-busy", "true")
    answer("Delivering …")
    try {
        const response = await fetch("/demo/store", {
            method: "POST",
            headers: { "Content-Type": "application/json" },
            body: JSON.stringify({ user, step, store: byID("stores").value, product }),
        })
        const result = await response.json()
        if (response.ok) answer(`The server answered the store: ${result.outcome}.`)
        else answer(result.message ?? result.error ?? `The server answered ${response.status}.`, true)
    } catch {
        answer("The server did not answer. Is it still running?", true)
    }
    button?.removeAttribute("aria-busy")
    document.body.toggleAttribute("data-delivering", false)
    list()
}

/** Trouble stands in the page's one live region, where everybody hears of it, in the page's language. */
function answer(text, isTrouble = false) {
    byID("answer").textContent = text
    byID("answer").dataset.tone = isTrouble ? "stop" : ""
    byID("trouble").textContent = isTrouble ? byID("trouble").dataset.text || text : ""
    byID("trouble").hidden = !isTrouble
}

document.addEventListener("submit", (event) => {
    const isOffer = event.target.matches("form[data-subscribe]")
    if (!isOffer && event.target.id !== "store") return
    event.preventDefault()
    if (document.body.hasAttribute("data-delivering")) return
    const button = event.submitter
    if (isOffer) deliver("initial", new FormData(event.target).get("product"), button)
    else deliver(button.value, button.dataset.product || shown("product"), button)
})

// MARK: The page

animateSwaps(() => {
    const renderedAt = performance.now()
    offerSteps()
    if (isPhone) return tellSwap()
    if (isSinceStart(renderedAt)) happened("page", "changes in the browser", { at: renderedAt })
    list(renderedAt)
})
offerSteps()
byID("stores").addEventListener("change", offerSteps)
if (isPhone) {
    // One live region for all that is on the screen: the phone says the same.
    byID("status").removeAttribute("aria-live")
    joinPhone()
} else {
    listForEver()
    const { showPhone } = await import("./phone.js")
    showPhone()
}
