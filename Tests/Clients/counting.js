// Counts what the stock clients open and lose: a page that came back looks like one that stayed.
window.connections = { opened: 0, lost: [] }

for (const kind of ["WebSocket", "EventSource"]) {
  window[kind] = class extends window[kind] {
    constructor(...parameters) {
      super(...parameters)
      this.addEventListener("open", () => connections.opened++)
      for (const end of ["close", "error"]) {
        const note = () => connections.lost.push(`${end} after ${Math.round(performance.now() / 1000)} s`)
        this.addEventListener(end, note)
      }
    }
  }
}
