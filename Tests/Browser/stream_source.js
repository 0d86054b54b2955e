// <turbo-stream-source> came with Turbo 7.2. For an older one, this connects the source with the function that the
// element itself calls; everything else on the page is Turbo as it was published.
if (!customElements.get("turbo-stream-source")) {
  customElements.define("turbo-stream-source", class extends HTMLElement {
    connectedCallback() {
      const src = this.getAttribute("src")
      this.source = /^wss?:/.test(src) ? new WebSocket(src) : new EventSource(src)
      window.Turbo.connectStreamSource(this.source)
    }
  })
}
