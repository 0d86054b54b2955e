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
