// Apple, played: StoreKit on the phone, the account behind it, and the notifications that Apple sends to the server. What it
// signs comes from the development server's certificate authority, and goes through the server's real webhook.

import { File } from "./disk.js"
import { askToPay } from "./sheet.js"
import { answered, happened, posting } from "./timeline.js"
import { watchConnection, world } from "./world.js"

const account = document.body.dataset.user
const device = "/demo/api/apple/device"

/** What the store keeps for the app until the app has finished it. It goes with the phone. */
const unfinished = new File("unfinished")
/** What parents are asked, what the phone has not heard of, and notifications that wait. They stay at Apple. */
const requests = new File("requests")
const updates = new File("updates")
const notifications = new File("notifications")

let catalogue
let heard = () => {}

export class StoreOffline extends Error {}

/** Apple's own answer; no connection of the phone is needed for what Apple does by itself. */
async function ask(path, body) {
    const options = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) }
    const response = await fetch(device + path, body && options)
    const answer = await response.json()
    if (!response.ok) throw new Error(answer.errorMessage ?? `The App Store answered ${response.status}.`)
    return answer
}

/** The store's products by id, with prices as this language writes them. */
export async function products(language) {
    if (!catalogue && !world.isOnline) throw new StoreOffline()
    catalogue ??= (await ask("/products")).products
    const written = ({ price, currency }) =>
        new Intl.NumberFormat(language, { style: "currency", currency }).format(price / 1000)
    return new Map(
        catalogue.map((product) => [
            product.id,
            { id: product.id, price: written(product), period: product.days > 300 ? "year" : "month" },
        ]),
    )
}

/** As StoreKit answers: `{ status: "cancelled" | "pending" }`, or `{ status: "bought", transaction }`. */
export async function purchase(id, order, language) {
    if (!world.isOnline) throw new StoreOffline()
    const product = (await products(language)).get(id)
    if (!product) throw new Error(`The store does not know ${id}.`)
    const asksParent = world.asksParent
    happened("apple", "shows the payment sheet")
    const isConfirmed = await askToPay(product, { asksParent })
    if (isConfirmed === false) happened("phone", "cancels")
    if (!isConfirmed) return { status: "cancelled" }
    // The connection may be gone since the sheet came up.
    if (!world.isOnline) throw new StoreOffline()
    if (!asksParent) return { status: "bought", transaction: await charge(id, order) }
    requests.put({ id: crypto.randomUUID(), product: id, order })
    happened("apple", "asks a parent")
    return { status: "pending" }
}

/** The store signs a transaction for the app, and a notification for the server. */
async function charge(product, order) {
    const { transaction, notification } = await ask("/purchases", { account, product, order })
    // On the phone before anything else can happen, if the phone can be reached.
    if (world.isOnline) unfinished.put(transaction)
    happened("apple", notification ? "signs a transaction" : "has signed this already")
    if (world.connection === "drops") {
        world.connection = "airplane"
        happened("phone", "loses its connection")
    }
    if (notification) await announce(notification)
    return transaction
}

// MARK: What the app calls

/** Calls back with what the app has not asked for, or not any more. */
export function onUpdate(callback) {
    heard = callback
    tellUpdates()
}

export const tellAgain = (transaction) => heard(transaction)

function tellUpdates() {
    if (!world.isOnline) return
    for (const transaction of updates.items) {
        unfinished.put(transaction)
        updates.remove(transaction.id)
        heard(transaction)
    }
}

watchConnection(tellUpdates)
export const unfinishedTransactions = () => unfinished.items

export function finish(transaction) {
    unfinished.remove(transaction.id)
    happened("phone", "finishes the transaction")
}

/** What the account owns, on whichever phone it was bought. */
export async function entitlements() {
    if (!world.isOnline) throw new StoreOffline()
    const { transactions } = await ask(`/entitlements?account=${encodeURIComponent(account)}`)
    for (const transaction of transactions) unfinished.put(transaction)
    happened("apple", `finds ${transactions.length === 1 ? "one purchase" : `${transactions.length || "no"} purchases`}`)
    return transactions
}

export const loseDisk = () => unfinished.erase()

// MARK: Parents

export const parentRequests = () => requests.items

/** StoreKit tells an app nothing of a refusal. */
export async function decide(request, isApproved) {
    requests.remove(request.id)
    if (!isApproved) return happened("apple", "hears no, and tells the app nothing")
    happened("apple", "hears yes from the parent")
    updates.put(await charge(request.product, request.order))
    tellUpdates()
}

// MARK: The webhook

export const heldNotifications = () => notifications.items.filter(({ when }) => when === "held")

async function announce(notification) {
    const held = { ...notification, when: world.webhook }
    notifications.put(held)
    if (held.when === "first") await deliver(held)
    if (held.when === "after") setTimeout(() => deliver(held), 1_500)
    if (held.when === "held") happened("apple", "holds its webhook back")
    document.dispatchEvent(new Event("world:waits"))
}

/** Posts the notification, and keeps it for another try if the server does not take it, as Apple does. */
export async function deliver({ id, signedPayload }) {
    const body = JSON.stringify({ signedPayload })
    const options = { headers: { "Content-Type": "application/json" }, body }
    const post = posting()
    const response = await fetch("/webhooks/apple", { method: "POST", ...options }).catch(() => null)
    const answer = await response?.json().catch(() => null)
    answered(post, response?.ok && answer?.outcome !== "duplicate")
    const result = response ? `${response.status} ${answer?.outcome ?? answer?.error ?? ""}` : "no answer"
    happened("apple", "sends its webhook", { result, tone: response?.ok ? "good" : "stop" })
    if (!response?.ok) return notifications.put({ id, signedPayload, when: "held" })
    notifications.remove(id)
    document.dispatchEvent(new Event("world:waits"))
    // From now on it is in Apple's history, which servers may read.
    await fetch(`/demo/api/apple/notifications/${id}`, { method: "PUT", ...options }).catch(() => null)
}

/** What was on its way when the page was closed. */
export function deliverWhatWaits() {
    for (const notification of notifications.items) if (notification.when !== "held") deliver(notification)
}
