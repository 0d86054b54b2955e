// For a Turbo that is older than 7.2 or that turbo-rails did not build: its two source elements, as their documentation
// describes them, on the functions that Turbo and Action Cable themselves offer. What a newer Turbo brings is left alone.
const { connectStreamSource, disconnectStreamSource } = window.Turbo

const define = (name, element) => customElements.get(name) ?? customElements.define(name, element)

define("turbo-stream-source", class extends HTMLElement {
  connectedCallback() {
    const src = this.getAttribute("src")
    this.streamSource = /^wss?:/.test(src) ? new WebSocket(src) : new EventSource(src)
    connectStreamSource(this.streamSource)
  }

  disconnectedCallback() {
    this.streamSource.close()
    disconnectStreamSource(this.streamSource)
  }
})

let consumer

define("turbo-cable-stream-source", class extends HTMLElement {
  connectedCallback() {
    connectStreamSource(this)
    consumer ??= window.ActionCable.createConsumer()
    const data = Object.entries(this.dataset).map(([key, value]) => [key.replace(/[A-Z]/g, "_$&").toLowerCase(), value])
    this.subscription = consumer.subscriptions.create(
      {
        channel: this.getAttribute("channel"),
        signed_stream_name: this.getAttribute("signed-stream-name"),
        ...Object.fromEntries(data),
      },
      {
        received: (data) => this.dispatchEvent(new MessageEvent("message", { data })),
        connected: () => this.setAttribute("connected", ""),
        disconnected: () => this.removeAttribute("connected"),
      },
    )
  }

  disconnectedCallback() {
    disconnectStreamSource(this)
    this.subscription.unsubscribe()
    this.removeAttribute("connected")
  }
})
