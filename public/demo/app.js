// The app around the web view, played: it answers the page's messages as PaycastKit does, and keeps every purchase until the
// server has answered 200 or 409. Only then is the transaction finished.

import * as store from "./appstore.js"
import { File } from "./disk.js"
import { answered, happened, posting } from "./timeline.js"
import { watchConnection, world } from "./world.js"

/** Written before anything is posted. */
const outbox = new File("outbox")
/** What waits for a parent. */
const pending = new File("pending")
/** The stream of whoever is logged in. */
const session = new File("session")

const longestWait = 300_000

export class App {
    /** Products whose sheet is up, or whose transaction is on its way. */
    #buying = new Map()
    #life = new AbortController()
    #posting = new Set()
    #watchers = new Map()
    #timer
    #answer
    #language
    /** The page's last question about states, which is answered again whenever they change. */
    #asked
    /** Messages that were answered with `pending` or `kept`, by product: the outcome is to follow. */
    #unsettled = new Map()

    /** `answer` sends a message back to the page. */
    constructor({ answer, language }) {
        this.#answer = (message, data) => this.#isOver || answer({ ...message, data })
        this.#language = language
    }

    start() {
        store.onUpdate((transaction) => this.#approved(transaction))
        for (const transaction of store.unfinishedTransactions()) this.#keep(transaction)
        watchConnection((isOnline) => isOnline && this.#hasten(), this.#life)
        this.#post()
    }

    /** The process ends: whatever is under way, nobody hears of it any more. */
    quit() {
        clearTimeout(this.#timer)
        this.#life.abort()
    }

    get #isOver() {
        return this.#life.signal.aborted
    }

    /** A page that begins anew has no questions any more. */
    forgetPage() {
        this.#asked = null
        this.#unsettled.clear()
    }

    async receive(message) {
        const { event, data } = message
        if (data.stream) session.put({ id: "stream", stream: data.stream })
        if (event === "state") this.#asked = message
        try {
            const reply = await this.#reply(event, data)
            if (["pending", "kept"].includes(reply.status)) this.#unsettled.set(data.productId, message)
            this.#answer(message, reply)
        } catch (error) {
            const isOffline = error instanceof store.StoreOffline
            if (isOffline) happened("phone", "has no connection")
            else console.error(error)
            this.#answer(message, { status: "error", error: isOffline ? "offline" : "failed" })
        }
        this.#tellStates()
    }

    #reply(event, data) {
        switch (event) {
            case "prices": return this.#prices(data)
            case "purchase": return this.#purchase(data)
            case "restore": return this.#restore()
            case "state": return this.#states()
            default: return { status: "error", error: "unknown_event" }
        }
    }

    async #prices({ products }) {
        const known = await store.products(this.#language)
        const asked = products.map(({ productId }) => productId).filter((id) => known.has(id))
        return { prices: Object.fromEntries(asked.map((id) => [id, known.get(id).price])), environment: "sandbox" }
    }

    /** A second tap waits for the answer to the first. */
    #purchase({ productId, order }) {
        if (!this.#buying.has(productId)) {
            const answer = this.#buy(productId, order).finally(() => this.#buying.delete(productId))
            this.#buying.set(productId, answer)
            this.#tellStates()
        }
        return this.#buying.get(productId)
    }

    async #buy(product, order) {
        const { status, transaction } = await store.purchase(product, order, this.#language)
        if (status === "pending") pending.put({ id: product, order })
        if (status !== "bought") return { status }
        pending.remove(product)
        // Whoever asked is gone; StoreKit tells the process that came after.
        if (this.#isOver) return store.tellAgain(transaction)
        return { status: await this.#taken(transaction, { isAsked: true }) }
    }

    /** What a parent has approved comes without a tap, perhaps after the app was closed. */
    async #approved(transaction) {
        pending.remove(transaction.product)
        await this.#taken(transaction)
        this.#tellStates()
    }

    async #restore() {
        const found = await store.entitlements()
        const outcomes = await Promise.all(found.map((transaction) => this.#taken(transaction, { isAsked: true })))
        // The best news that is true.
        const words = ["granted", "kept", "logged_out", "recorded", "refused", "owned_by_other"]
        const word = words.find((word) => outcomes.includes(word)) ?? "granted"
        if (word === "kept") return { status: "error", error: "offline" }
        if (word !== "granted") return { status: word }
        return {
            status: found.length ? "restored" : "nothing",
            subscriptionIds: found.map(({ originalId }) => originalId),
        }
    }

    #states() {
        const list = (products, status) => products.map((productId) => ({ productId, status }))
        const posted = (isRefused) => outbox.items.filter((item) => Boolean(item.isRefused) === isRefused)
        return {
            purchases: [
                ...list([...this.#buying.keys()], "buying"),
                ...list(pending.items.map(({ id }) => id), "pending"),
                ...list(posted(false).map(({ product }) => product), "kept"),
                ...list(posted(true).map(({ product }) => product), "refused"),
            ],
        }
    }

    #tellStates() {
        if (this.#asked) this.#answer(this.#asked, this.#states())
        document.dispatchEvent(new Event("world:waits"))
    }

    // MARK: The outbox

    /** What somebody has tapped for is posted for that user, whoever is logged in by then. */
    #keep(transaction, { isAsked } = {}) {
        const known = outbox.items.find(({ id }) => id === transaction.id)
        const askedBy = isAsked ? session.items[0]?.stream : known?.askedBy
        // What the store has signed anew is a new chance.
        const isNew = known?.signedDate !== transaction.signedDate
        outbox.put({ failures: 0, due: 0, ...(isNew ? {} : known), ...transaction, askedBy })
    }

    /** What became of the transaction, or `kept` if that takes another try. */
    #taken(transaction, tap) {
        this.#keep(transaction, tap)
        return new Promise((done) => {
            this.#watchers.set(transaction.id, [...(this.#watchers.get(transaction.id) ?? []), done])
            this.#post()
        })
    }

    #tellWatchers(id, outcome) {
        for (const done of this.#watchers.get(id) ?? []) done(outcome)
        this.#watchers.delete(id)
    }

    /** The connection is back: what waits need not wait for its turn. */
    #hasten() {
        for (const delivery of outbox.items) if (!delivery.isRefused) outbox.put({ ...delivery, due: 0 })
        this.#post()
    }

    #post() {
        clearTimeout(this.#timer)
        if (this.#isOver) return
        // Read once: what becomes due between two looks at the clock would neither be posted nor get a timer.
        const now = Date.now()
        for (const delivery of outbox.items) {
            if (this.#posting.has(delivery.id)) continue
            if (delivery.isRefused) this.#tellWatchers(delivery.id, "refused")
            else if (!world.isOnline) {
                if (this.#watchers.has(delivery.id)) happened("phone", "keeps the purchase on its disk")
                this.#tellWatchers(delivery.id, "kept")
            } else if (delivery.due <= now) this.#postOne(delivery)
        }
        const dues = world.isOnline ? outbox.items.filter(({ isRefused }) => !isRefused).map(({ due }) => due) : []
        const next = Math.min(...dues.filter((due) => due > now))
        if (Number.isFinite(next)) this.#timer = setTimeout(() => this.#post(), next - now)
    }

    async #postOne(delivery) {
        this.#posting.add(delivery.id)
        const stream = delivery.askedBy ?? session.items[0]?.stream
        const post = posting()
        const response = await fetch("/transactions/apple", {
            method: "POST",
            headers: { "Content-Type": "application/json" },
            body: JSON.stringify({ signedTransaction: delivery.jws, stream, asked: Boolean(delivery.askedBy) }),
            signal: this.#life.signal,
        }).catch(() => null)
        const answer = await response?.json().catch(() => null)
        if (this.#isOver) return
        this.#posting.delete(delivery.id)
        answered(post, response?.ok && answer?.outcome !== "duplicate")
        const result = response ? `${response.status} ${answer?.outcome ?? answer?.error ?? ""}` : "no answer"
        const isOthers = response?.status === 409 && answer?.error === "owned_by_other"
        const isTaken = isOthers || (response?.status === 200 && answer?.outcome)
        happened("phone", "posts the transaction", { result, tone: isTaken ? "good" : "stop" })
        // Signed anew meanwhile: only the answer to the newest version counts.
        if (!outbox.items.some(({ id, signedDate }) => id === delivery.id && signedDate === delivery.signedDate)) this.#post()
        else if (isTaken) this.#acknowledge(delivery, answer)
        else this.#retry(delivery, response)
        this.#tellStates()
    }

    /** The server has it, so the store may forget it; last of all, the disk does. */
    #acknowledge(delivery, { outcome, claim, error }) {
        store.finish(delivery)
        outbox.remove(delivery.id)
        // Where the webhook came first, the post is stale, or ignored because it says nothing new.
        const opens = claim === "yours" && ["applied", "duplicate", "stale", "ignored"].includes(outcome)
        const status = error ?? (claim === "others" ? "owned_by_other" : opens ? "granted" : "recorded")
        this.#tellWatchers(delivery.id, status)
        const message = this.#unsettled.get(delivery.product)
        if (message) this.#answer(message, { status })
        this.#unsettled.delete(delivery.product)
    }

    /** Back-off from one second, doubled each time; what is not genuine waits for another version of the app. */
    #retry(delivery, response) {
        const failures = delivery.failures + 1
        const asked = Number(response?.headers.get("Retry-After")) * 1_000
        const wait = (asked || Math.min(longestWait, 500 * 2 ** failures)) * (1 + Math.random() / 2)
        outbox.put({ ...delivery, failures, due: Date.now() + wait, isRefused: response?.status === 400 })
        const words = { 400: "refused", 401: "logged_out", 403: "logged_out" }
        this.#tellWatchers(delivery.id, words[response?.status] ?? "kept")
        this.#post()
    }
}

/** Purchases that the server does not have yet. */
export const keptCount = () => outbox.items.length

/** A new phone has nothing on its disk. */
export function loseDisk() {
    for (const file of [outbox, pending, session]) file.erase()
    store.loseDisk()
}
