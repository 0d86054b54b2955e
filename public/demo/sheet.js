// The store's payment sheet, which the phone draws over the app.

const sheet = document.getElementById("sheet")
const frame = document.querySelector("#phone iframe")

let answered
/** Where the keyboard was in the app, which forgets it while it cannot be used. */
let focused

const words = {
    en: {
        title: "App Store",
        plan: { year: "Annual", month: "Monthly" },
        per: { year: "a year", month: "a month" },
        terms: (price, per) => `Renews for ${price} ${per} until you cancel.`,
        parent: "Somebody in your family has to approve this purchase.",
        buy: "Subscribe",
        ask: "Ask",
        cancel: "Cancel",
    },
    de: {
        title: "App Store",
        plan: { year: "Jährlich", month: "Monatlich" },
        per: { year: "im Jahr", month: "im Monat" },
        terms: (price, per) => `Verlängert sich für ${price} ${per}, bis du kündigst.`,
        parent: "Jemand aus deiner Familie muss diesen Kauf genehmigen.",
        buy: "Abonnieren",
        ask: "Fragen",
        cancel: "Abbrechen",
    },
}

/**
 * Shows the sheet, and waits for whether the buyer confirms; null if the app goes away under it. `product` is
 * `{ price, period }`, as the store words it.
 */
export function askToPay(product, { asksParent }) {
    const own = words[sheet.lang] ?? words.en
    const fill = (name, text) => (sheet.querySelector(`[data-slot=${name}]`).textContent = text)
    fill("title", own.title)
    fill("plan", `Northlight Pro, ${own.plan[product.period]}`)
    fill("price", product.price)
    fill("terms", own.terms(product.price, own.per[product.period]))
    fill("parent", asksParent ? own.parent : "")
    fill("confirm", asksParent ? own.ask : own.buy)
    fill("cancel", own.cancel)
    sheet.hidden = false
    focused = frame.contentDocument.activeElement
    frame.inert = true
    sheet.querySelector("[data-slot=confirm]").focus({ preventScroll: true })
    return new Promise((done) => (answered = done))
}

export function closeSheet(isConfirmed = null) {
    if (sheet.hidden) return
    const hadFocus = sheet.contains(document.activeElement)
    sheet.hidden = true
    frame.inert = false
    if (hadFocus && focused?.isConnected) focused.focus({ preventScroll: true })
    answered(isConfirmed)
}

sheet.addEventListener("click", ({ target }) => {
    const button = target.closest("button")
    if (button) closeSheet(button.dataset.slot === "confirm")
})
sheet.addEventListener("keydown", (event) => {
    if (event.key === "Escape") closeSheet(false)
    if (event.key !== "Tab") return
    // The sheet is modal on the phone, and Tab goes round in it.
    const [first, second] = sheet.querySelectorAll("button")
    event.preventDefault()
    ;(document.activeElement === first ? second : first).focus()
})
