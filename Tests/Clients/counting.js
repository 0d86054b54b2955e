// Counts what the stock clients open and lose: a page that came back looks like one that stayed. And tells who asks when
// the page has changed.
window.connections = { opened: 0, lost: [] }
const changes = new EventTarget()
const changed = () => changes.dispatchEvent(new Event("change"))
new MutationObserver(changed).observe(document, { subtree: true, childList: true, attributes: true, characterData: true })

for (const kind of ["WebSocket", "EventSource"]) {
  window[kind] = class extends window[kind] {
    constructor(...parameters) {
      super(...parameters)
      this.addEventListener("open", () => {
        connections.opened++
        changed()
      })
      for (const end of ["close", "error"]) {
        this.addEventListener(end, () => {
          connections.lost.push(`${end} after ${Math.round(performance.now() / 1000)} s`)
          changed()
        })
      }
    }
  }
}

const report = () =>
  JSON.stringify({
    ...connections,
    ready: connections.opened > 0 && !document.querySelector("turbo-cable-stream-source:not([connected])"),
    notices: Array.from(document.querySelectorAll("#notices li"), notice => notice.textContent),
    paid: document.querySelector("#paywall[data-state=active]") !== null,
  })

// What the page says of itself as soon as that is not `known`, or after so many milliseconds.
window.reportOtherThan = (known, patience) =>
  new Promise(resolve => {
    const end = new AbortController()
    const answer = isLate => {
      if (!isLate && report() === known) return
      end.abort()
      clearTimeout(timer)
      resolve(report())
    }
    const timer = setTimeout(answer, patience, true)
    changes.addEventListener("change", () => answer(false), { signal: end.signal })
    answer(false)
  })
