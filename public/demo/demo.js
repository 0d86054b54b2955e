// The demo page: a simulated store, the list of committed events, and how a swap looks.
// The page itself needs none of this to be live: any Hotwire page has <turbo-stream-source> from @hotwired/turbo.

const user = document.body.dataset.user
const byID = (id) => document.getElementById(id)
byID("second").href = `/?user=${encodeURIComponent(user)}`

// MARK: The store

/** Delivers one notification for this user and says what became of it, good or bad. */
async function deliver(type, subtype, product) {
    const name = subtype ? `${type} / ${subtype}` : type
    answer(`Delivering ${name} …`)
    try {
        const response = await fetch("/demo/store", {
            method: "POST",
            headers: { "Content-Type": "application/json" },
            body: JSON.stringify({ user, type, subtype, product }),
        })
        const result = await response.json()
        if (response.ok) {
            answer(`${name}: ${result.outcome}, at ${result.cursor}`, "good")
        } else {
            answer(`${name}: ${result.message ?? result.error ?? `status ${response.status}`}`, "stop")
        }
    } catch {
        answer(`${name}: the server did not answer. Is it still running?`, "stop")
    }
}

function answer(text, tone = "") {
    byID("answer").textContent = text
    byID("answer").dataset.tone = tone
}

/** What the newest fragment on the page says of the contract. */
function shown(key) {
    return byID("subscription_status")?.dataset[key] || byID("paywall")?.dataset[key] || ""
}

let delivering = false
async function once(work) {
    if (delivering) return
    delivering = true
    document.body.toggleAttribute("data-delivering", true)
    await work()
    document.body.toggleAttribute("data-delivering", false)
    delivering = false
}

document.addEventListener("submit", (event) => {
    if (!event.target.matches("form[data-subscribe]")) return
    event.preventDefault()
    const product = new FormData(event.target).get("product")
    const isFirst = ["", "pending"].includes(shown("state"))
    once(() => deliver("SUBSCRIBED", isFirst ? "INITIAL_BUY" : "RESUBSCRIBE", product))
})

document.addEventListener("click", (event) => {
    const button = event.target.closest("button[data-store]")
    if (!button) return
    const [type, subtype = null] = button.dataset.store.split("/")
    const chosen = document.querySelector("form[data-subscribe] input:checked")?.value
    once(() => deliver(type, subtype, button.dataset.product || shown("product") || chosen || "paycast.pro.monthly"))
})

// MARK: The swap

const calm = matchMedia("(prefers-reduced-motion: reduce)")
let batch = []

// Turbo announces every change before it makes it, and so does the stand-in below. All changes of one message become
// one transition; afterwards the keyboard is where it was, or at the heading of what took its place.
document.addEventListener("turbo:before-stream-render", (event) => {
    const { render } = event.detail
    event.detail.render = (stream) =>
        new Promise((done, fail) => {
            batch.push(() => keepingFocus(stream, render).then(done, fail))
            if (batch.length === 1) setTimeout(flush)
        })
})

function flush() {
    const changes = batch
    batch = []
    const run = () => Promise.allSettled(changes.map((change) => change()))
    // A hidden page makes no transition, but it changes all the same.
    if (!document.startViewTransition || calm.matches || document.hidden) return run()
    document.startViewTransition(run).ready.catch(() => {})
}

async function keepingFocus(stream, render) {
    const id = stream.getAttribute("target")
    const focused = document.activeElement
    const hadFocus = id && byID(id)?.contains(focused)
    await render(stream)
    if (!hadFocus || focused.isConnected) return
    const heading = byID(id)?.querySelector("h1, h2, h3")
    heading?.setAttribute("tabindex", "-1")
    heading?.focus({ preventScroll: true })
}

// MARK: The feed

const listed = new Set()
let newest = null
let feed = null

function follow() {
    feed = new EventSource(newest ? `/demo/feed?since=${encodeURIComponent(newest)}` : "/demo/feed")
    feed.onopen = () => live("live")
    feed.onerror = () => live(feed.readyState === EventSource.CLOSED ? "closed, reload the page" : "reconnecting")
    feed.onmessage = (message) => list(JSON.parse(message.data))
}

function live(text) {
    byID("live").textContent = text
    byID("live").dataset.on = text === "live"
}

function list(entry) {
    if (listed.has(entry.cursor)) return
    listed.add(entry.cursor)
    newest = entry.cursor
    byID("empty").hidden = true
    const events = byID("events")
    events.prepend(row(entry))
    while (events.children.length > 50) events.lastElementChild.remove()
}

/** Everything is set as text: names and products come from outside. */
function row(entry) {
    const at = new Date(entry.at)
    const head = element("div", "event-head", [
        element("span", "event-type", [entry.type ?? entry.kind]),
        entry.subtype && element("span", "event-subtype", [entry.subtype]),
    ])
    const change = [entry.previous_state, entry.state].filter(Boolean).join(" → ")
    const facts = element("div", "event-facts", [
        element("time", "", [at.toLocaleTimeString([], { hour12: false })]),
        entry.user && element("span", "event-user", [entry.user]),
        change && element("span", "", [change]),
        entry.outcome && element("span", `chip ${entry.outcome}`, [entry.outcome]),
    ])
    facts.firstChild.dateTime = entry.at
    const caused = (entry.fragments ?? []).map(({ target, fragment }) =>
        element("li", "", [target ?? "page", " ", element("b", "", [fragment ?? "changed"])]),
    )
    const className = entry.user === user ? "event mine" : "event"
    return element("li", className, [head, facts, caused.length > 0 && element("ul", "caused", caused)])
}

function element(name, className, children) {
    const node = document.createElement(name)
    if (className) node.className = className
    node.append(...children.filter(Boolean))
    return node
}

// A browser opens six connections to a server over HTTP/1.1, for all its tabs: a hidden tab gives one back.
document.addEventListener("visibilitychange", () => {
    if (document.hidden) feed?.close()
    else follow()
})
if (!document.hidden) follow()

// MARK: A stand-in for Turbo

// The demo ships without @hotwired/turbo. On a page that loads it, its elements are registered already and nothing
// here runs. The stand-in follows https://turbo.hotwired.dev/reference/streams, without morphing and scripts.
class StreamSource extends HTMLElement {
    connectedCallback() {
        const src = this.getAttribute("src")
        this.source = /^wss?:/i.test(src) ? new WebSocket(src) : new EventSource(src)
        this.source.onmessage = ({ data }) => {
            if (typeof data !== "string") return
            const template = document.createElement("template")
            template.innerHTML = data
            document.documentElement.append(...template.content.querySelectorAll("turbo-stream"))
        }
    }

    disconnectedCallback() {
        this.source.close()
    }
}

class Stream extends HTMLElement {
    async connectedCallback() {
        const detail = { newStream: this, render: perform }
        const announcement = new CustomEvent("turbo:before-stream-render", { bubbles: true, cancelable: true, detail })
        try {
            if (!this.dispatchEvent(announcement)) return
            await new Promise((next) => (document.hidden ? setTimeout(next) : requestAnimationFrame(next)))
            await detail.render(this)
        } catch (error) {
            console.error(error)
        } finally {
            this.remove()
        }
    }
}

/** What each action does to one element; `content` is a fresh copy of the template. */
const actions = {
    replace: (node, content) => node.replaceWith(content),
    update: (node, content) => node.replaceChildren(content),
    remove: (node) => node.remove(),
    append: (node, content) => (withoutTwins(node.children, content), node.append(content)),
    prepend: (node, content) => (withoutTwins(node.children, content), node.prepend(content)),
    before: (node, content) => (withoutTwins(node.parentElement.children, content), node.before(content)),
    after: (node, content) => (withoutTwins(node.parentElement.children, content), node.after(content)),
}

function withoutTwins(children, content) {
    const ids = new Set([...content.children].map((child) => child.id).filter(Boolean))
    for (const child of [...children]) if (ids.has(child.id)) child.remove()
}

let reload
async function perform(stream) {
    const action = stream.getAttribute("action")
    if (action === "refresh") {
        clearTimeout(reload)
        reload = setTimeout(() => location.reload(), 150)
        return
    }
    if (!Object.hasOwn(actions, action)) throw new Error(`<turbo-stream>: unknown action "${action}"`)
    const id = stream.getAttribute("target")
    const nodes = id ? [byID(id)] : document.querySelectorAll(stream.getAttribute("targets"))
    const template = stream.querySelector("template") ?? document.createElement("template")
    for (const node of nodes) if (node) actions[action](node, document.importNode(template.content, true))
}

if (!customElements.get("turbo-stream-source")) {
    customElements.define("turbo-stream", Stream)
    customElements.define("turbo-stream-source", StreamSource)
}
