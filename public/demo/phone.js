// The phone beside the page: a web view with the same user's page, the app around it, and the controls of what happens to
// it. The page inside is an ordinary one with /paycast-native.js; the server, its routes and its stream are the real ones.

import * as store from "./appstore.js"
import { App, keptCount, loseDisk } from "./app.js"
import { closeSheet } from "./sheet.js"
import { beginTimeline, happened, isSinceStart } from "./timeline.js"
import { watchConnection, world } from "./world.js"

const byID = (id) => document.getElementById(id)
const frame = document.querySelector("#phone iframe")
const address = `/?user=${encodeURIComponent(document.body.dataset.user)}&device=phone`

/** What the app says in place of a page that it cannot load. */
const noPage = {
    en: "No connection.\nThe app tries again when there is one.",
    de: "Keine Verbindung.\nDie App versucht es wieder, sobald es eine gibt.",
}

let app
/** Answers reach the page that asked, not the one that came after it. */
let page = 0

const tellPage = (fact) => frame.contentWindow.postMessage(fact, location.origin)
const answerPage = ({ page: asker, ...message }) => asker === page && tellPage({ answer: JSON.stringify(message) })

export function showPhone() {
    window.addEventListener("message", hear)
    watchConnection(connectionChanged)
    byID("reopen").addEventListener("click", () => reopen("is quit and opened again"))
    byID("replace").addEventListener("click", () => {
        app.quit()
        loseDisk()
        world.connection = "online"
        reopen("is a new one, with the same Apple account")
    })
    document.addEventListener("world:waits", showWaiting)
    byID("waiting").addEventListener("click", settle)
    for (const id of ["handset", "world-panel", "timeline-panel"]) byID(id).hidden = false
    showConnection()
    showWaiting()
    open()
    store.deliverWhatWaits()
}

// MARK: The app

function open() {
    app = new App({ answer: answerPage, language: byID("sheet").lang })
    app.start()
    load()
}

/** Without a connection there is no page to show, until there is one. */
function load() {
    page += 1
    byID("no-page").hidden = world.isOnline
    byID("no-page").textContent = noPage[byID("no-page").lang] ?? noPage.en
    // Not `src`: the browser's back button is for the page around.
    frame.contentWindow.location.replace(world.isOnline ? address : "about:blank")
}

function reopen(what) {
    app.quit()
    closeSheet()
    beginTimeline()
    happened("phone", what)
    open()
    showWaiting()
}

function connectionChanged(isOnline) {
    showConnection()
    if (isOnline && !byID("no-page").hidden) load()
    tellPage({ isOnline })
    if (isOnline) happened("phone", "is online again")
    showWaiting()
}

function showConnection() {
    byID("phone").dataset.connection = world.isOnline ? "online" : "airplane"
}

function hear({ source, origin, data }) {
    if (source !== frame.contentWindow || origin !== location.origin) return
    if (data.begins) {
        page += 1
        app.forgetPage()
        closeSheet()
    }
    if (data.isReady) tellPage({ isOnline: world.isOnline })
    if (data.swaps && isSinceStart(performance.now())) happened("page", "changes on the phone")
    if (data.message) receive(JSON.parse(data.message))
}

function receive(message) {
    if (["purchase", "restore"].includes(message.event)) {
        beginTimeline()
        const { productId } = message.data
        happened("phone", message.event === "purchase" ? `asks for ${plan(productId)}` : "asks for its purchases")
    }
    app.receive({ ...message, page })
}

// MARK: What waits for somebody

function showWaiting() {
    const rows = [
        ...store.parentRequests().map(({ id, product }) => ({
            text: `A parent is asked: ${plan(product)}?`,
            buttons: [["approve", "Approve", id], ["decline", "Decline", id]],
        })),
        ...store.heldNotifications().map(({ id }) => ({
            text: "Apple has a webhook to send.",
            buttons: [["send", "Send it", id]],
        })),
    ]
    const kept = keptCount()
    if (kept && !world.isOnline) rows.push({ text: "The phone keeps a purchase until it is online.", buttons: [] })
    const list = byID("waiting")
    const written = JSON.stringify(rows)
    if (list.dataset.written === written) return
    list.dataset.written = written
    list.replaceChildren(...rows.map(row))
    list.hidden = rows.length === 0
}

/** `paycast.pro.annual` is Annual. */
const plan = (product) => product.split(".").at(-1).replace(/^./, (letter) => letter.toUpperCase())

function row({ text, buttons }) {
    const item = document.createElement("li")
    item.append(Object.assign(document.createElement("span"), { textContent: text }))
    for (const [act, label, id] of buttons) {
        const button = Object.assign(document.createElement("button"), { type: "button", textContent: label, value: id })
        button.dataset.act = act
        item.append(button)
    }
    return item
}

async function settle({ target }) {
    const button = target.closest("button")
    if (!button) return
    const { act } = button.dataset
    const at = (list) => list.find(({ id }) => id === button.value)
    // What is settled leaves the list, and the keyboard stays near it.
    byID("world-title").focus({ preventScroll: true })
    if (act === "send") await store.deliver(at(store.heldNotifications()))
    else await store.decide(at(store.parentRequests()), act === "approve")
    showWaiting()
}
