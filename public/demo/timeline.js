// What happened since the last tap on the phone, in the order in which it happened.

const list = document.getElementById("timeline")
const empty = document.getElementById("timeline-empty")
const actors = { phone: "Phone", apple: "App Store", server: "Paycast", page: "Page" }

let start = null
/** What was posted to the server, and is not among the committed events yet; oldest first. */
let posts = []

/** The next line is the first one. */
export function beginTimeline() {
    start = null
    posts = []
    list.replaceChildren()
    empty.hidden = false
}

/** Tells what somebody did. `result` is an answer; `at` is by `performance.now()`. */
export function happened(actor, text, { result, tone, at = performance.now() } = {}) {
    start ??= at
    empty.hidden = true
    const line = document.createElement("li")
    line.dataset.at = at
    line.dataset.actor = actor
    line.append(
        cell("time", `${Math.max(0, (at - start) / 1000).toFixed(2)} s`),
        " ",
        cell("actor", actors[actor]),
        " ",
        cell("what", text),
    )
    if (result) {
        const answer = cell("result", result)
        answer.dataset.tone = tone ?? ""
        line.lastElementChild.append(" ", answer)
    }
    const later = [...list.children].find((other) => Number(other.dataset.at) > at)
    list.insertBefore(line, later ?? null)
    list.scrollTop = list.scrollHeight
}

/** A post is on its way. */
export function posting() {
    const post = { sentAt: performance.now(), answeredAt: Infinity }
    posts.push(post)
    return post
}

/** Its answer is there; without a commit there is nothing more to hear of it. */
export function answered(post, isCommitted) {
    post.answeredAt = performance.now()
    if (!isCommitted) posts = posts.filter((other) => other !== post)
}

/** The server's clock is read from afar: no commit came before its post, or after the answer or the page's change. */
export function commitTime(estimate, { before }) {
    const post = posts.shift()
    const latest = Math.min(post?.answeredAt ?? Infinity, before ?? Infinity) - 0.01
    return Math.max(Math.min(estimate, latest), post?.sentAt ?? 0)
}

/** Whether the time belongs to what is shown. */
export const isSinceStart = (at) => start !== null && at >= start

function cell(className, text) {
    const node = document.createElement("span")
    node.className = className
    node.textContent = text
    return node
}
