// Everything but this works without it. Times are in UTC; this adds the reader's own zone, for which the style sheet has kept room.

const zone = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit", hourCycle: "h23" })

function addZone(time) {
    const moment = new Date(time.dateTime)
    if (Number.isNaN(moment.valueOf()) || time.querySelector(".local")) return
    const local = document.createElement("span")
    local.className = "local"
    local.textContent = `${zone.format(moment)} here`
    time.append(" ", local)
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
    let heldRows = 0
    let isReleasing = false

    const isRead = () => rows.matches(":hover, :focus-within") || rows.getBoundingClientRect().top < 0
    const say = () => {
        counter.textContent = heldRows > longest ? `${heldRows} new, of which the newest ${longest} can be shown` : heldRows ? `${heldRows} new` : ""
        show.hidden = !heldRows
    }

    addEventListener("turbo:before-stream-render", (event) => {
        const stream = event.detail.newStream
        const isRow = stream.getAttribute("target") === rows.id
        // What changes a row may be about one that is held.
        const isChange = heldRows > 0 && stream.hasAttribute("targets")
        if (isReleasing || !(isChange || (isRow && isRead()))) return
        event.preventDefault()
        held = [...held, stream.cloneNode(true)].slice(-2 * longest)
        if (isRow) heldRows += 1
        say()
    })

    show.addEventListener("click", () => {
        isReleasing = true
        document.documentElement.append(...held)
        held = []
        heldRows = 0
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
