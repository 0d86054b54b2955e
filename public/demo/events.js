// The list of committed events, and how long the newest one took. Asked for after each change and every few seconds: a
// request that is held open would be one of the six connections that a browser has for all tabs.

import { commitTime, happened, isSinceStart } from "./timeline.js"

const user = document.body.dataset.user
let newest = null
let asked = Promise.resolve()

/** The stages of the user's newest event, in milliseconds since `start`. */
let stages = {}

/** Lists what is new. `renderedAt` is when the page last changed, by `performance.now()`. */
export function list(renderedAt = null) {
    asked = asked.then(() => ask(renderedAt)).catch(console.error)
    return asked
}

export function listForEver() {
    list()
    setInterval(() => document.hidden || list(), 3_000)
    document.addEventListener("visibilitychange", () => document.hidden || list())
}

async function ask(renderedAt) {
    const askedAt = performance.now()
    const response = await fetch(newest ? `/demo/events?since=${newest}` : "/demo/events").catch(() => null)
    if (!response?.ok) return
    // The server answers somewhere between the question and the answer's arrival.
    const answeredAt = (askedAt + performance.now()) / 2
    for (const line of await response.json()) add(line, askedAt, answeredAt, renderedAt)
    if (renderedAt) timePage(renderedAt)
}

function add({ event, timing }, askedAt, answeredAt, renderedAt) {
    newest = event.cursor
    document.getElementById("empty").hidden = true
    const events = document.getElementById("events")
    events.prepend(row(event))
    while (events.children.length > 50) events.lastElementChild.remove()
    if (event.user !== user || !timing) return
    const { age, verified, committed } = timing
    const [start, changesPage] = [answeredAt - age, event.fragments?.length > 0]
    // What changes no page does not take the place of what did.
    if (changesPage || !stages.changesPage) {
        stages = { start, earliest: askedAt - age, received: 0, verified, committed, changesPage }
        showStages()
    }
    const at = commitTime(start + committed, { before: changesPage ? renderedAt : null })
    if (!isSinceStart(at)) return
    const what = changesPage ? "commits it" : "commits it, no page changes"
    happened("server", what, { result: changesPage ? event.state : "", tone: "good", at })
}

function timePage(renderedAt) {
    // A change from before belongs to an event from before.
    if (!stages.changesPage || stages.page || renderedAt < stages.earliest) return
    stages.page = Math.max(renderedAt - stages.start, stages.committed)
    showStages()
}

function showStages() {
    for (const stage of document.querySelectorAll("#way li")) {
        const time = stages[stage.dataset.stage]
        stage.toggleAttribute("data-reached", time !== undefined)
        stage.lastElementChild.textContent = time === undefined ? "" : `${time.toFixed(time < 10 ? 1 : 0)} ms`
    }
}

/** Everything is set as text: names and products come from outside. */
function row(event) {
    const at = new Date(event.at)
    const head = element("div", "event-head", [
        element("span", "event-type", [event.type ?? event.kind]),
        event.subtype && element("span", "event-subtype", [event.subtype]),
    ])
    const change = [event.previous_state, event.state].filter(Boolean).join(" → ")
    const facts = element("div", "event-facts", [
        element("time", "", [at.toLocaleTimeString([], { hour12: false })]),
        event.user && element("span", "event-user", [event.user]),
        change && element("span", "", [change]),
        event.outcome && element("span", `chip ${event.outcome}`, [event.outcome]),
    ])
    facts.firstChild.dateTime = event.at
    const caused = (event.fragments ?? []).map(({ target, fragment }) =>
        element("li", "", [target ?? "page", " ", element("b", "", [fragment ?? "changed"])]),
    )
    const className = event.user === user ? "event mine" : "event"
    return element("li", className, [head, facts, caused.length > 0 && element("ul", "caused", caused)])
}

function element(name, className, children) {
    const node = document.createElement(name)
    if (className) node.className = className
    node.append(...children.filter(Boolean))
    return node
}
