// Everything but this works without it. Times are in UTC; this adds the reader's own zone.

const zone = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" })

function addZone(time) {
    const moment = new Date(time.dateTime)
    if (!Number.isNaN(moment.valueOf())) time.title = `${zone.format(moment)} where you are`
}

document.querySelectorAll("time[datetime]").forEach(addZone)

new MutationObserver((changes) => {
    for (const { addedNodes } of changes) {
        for (const node of addedNodes) {
            if (node instanceof Element) node.querySelectorAll("time[datetime]").forEach(addZone)
        }
    }
}).observe(document.body, { childList: true, subtree: true })

// After a log-out, the back button must not bring a page back.
addEventListener("pageshow", ({ persisted }) => {
    if (persisted) location.reload()
})

// The live list: what comes waits while somebody reads, it can be paused without loss, and it never gets longer than this.
const longest = 200

function live(rows) {
    const find = (name) => document.getElementById(`live-${name}`)
    const [pause, show, counter, source] = ["pause", "show", "counter", "source"].map(find)
    let held = []
    let isReleasing = false

    const isRead = () => rows.matches(":hover, :focus-within") || rows.getBoundingClientRect().top < 0
    const say = () => {
        counter.textContent = held.length ? `${held.length} new` : ""
        show.hidden = !held.length
    }

    addEventListener("turbo:before-stream-render", (event) => {
        const stream = event.detail.newStream
        if (stream.getAttribute("target") !== rows.id || isReleasing || !isRead()) return
        event.preventDefault()
        held = [...held, stream.cloneNode(true)].slice(-longest)
        say()
    })

    show.addEventListener("click", () => {
        isReleasing = true
        document.documentElement.append(...held)
        held = []
        isReleasing = false
        say()
    })

    pause.hidden = false
    pause.addEventListener("click", () => {
        const isPaused = !source.firstElementChild
        if (isPaused) {
            const element = document.createElement("turbo-stream-source")
            element.setAttribute("src", `${source.dataset.address}since=${find("cursor").dataset.cursor}`)
            source.append(element)
        } else {
            source.replaceChildren()
        }
        pause.textContent = isPaused ? "Pause" : "Go on"
    })

    new MutationObserver(() => {
        while (rows.children.length > longest) rows.lastElementChild.remove()
    }).observe(rows, { childList: true })
}

const rows = document.getElementById("live-rows")
if (rows && document.getElementById("live-source")) live(rows)
