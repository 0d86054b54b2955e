// Optional, for pages with <turbo-stream-source>: <script type="module" src="/paycast.js"></script>
// Opens a source again at once when the page comes back (foreground, back/forward cache, network) and, backing off, when
// it is closed for good, as a WebSocket always is; says `connected` on the element. Without it nothing gets lost, only later.
{
  const NAME = "turbo-stream-source"
  const states = new WeakMap()
  const elements = () => [...document.getElementsByTagName(NAME)].filter(element => element.streamSource)
  let hiddenAt = Infinity

  // Also after a morph, which takes `connected` away and may bring a newer `src`.
  const look = element => {
    const source = element.streamSource
    const state = states.get(element) ?? { attempts: 0, triedAt: 0 }
    states.set(element, state)
    element.toggleAttribute("connected", source.readyState === source.OPEN)
    if (state.source === source) return
    clearTimeout(state.timer)
    Object.assign(state, { source, triedAt: Date.now() })
    const changed = () => {
      if (element.streamSource !== source || !element.isConnected) return
      look(element)
      if (source.readyState === source.CLOSED) later(element, state)
    }
    for (const type of ["open", "error", "close"]) source.addEventListener(type, changed)
    source.addEventListener("message", ({ lastEventId }) => {
      if (lastEventId) Object.assign(state, { seen: lastEventId, src: element.getAttribute("src") })
    })
    changed()
  }

  // Turbo itself closes and opens a source that leaves and enters the page. A WebSocket tells no cursor: it keeps `since`.
  const reopen = (element, state) => {
    if (!element.isConnected) return
    if (state.seen && state.src === element.getAttribute("src")) {
      const url = new URL(state.src, element.baseURI)
      url.searchParams.set("since", state.seen)
      element.setAttribute("src", url)
    }
    element.parentNode.insertBefore(element, element.nextSibling)
    look(element)
  }

  // What was open for ten seconds was well; a server that accepts and closes is asked less and less often.
  const later = (element, state) => {
    if (Date.now() - state.triedAt > 10_000) state.attempts = 0
    const delay = Math.min(30_000, 1_000 * 2 ** state.attempts++) * (0.5 + Math.random() / 2)
    clearTimeout(state.timer)
    state.timer = setTimeout(reopen, delay, element, state)
  }

  // After sleep or on another network a dead source still says that it is open.
  const resume = stale => {
    for (const element of elements()) {
      look(element)
      const state = states.get(element)
      const isDue = Date.now() - state.triedAt > 1_000
      if (isDue && (stale || state.source.readyState !== state.source.OPEN)) reopen(element, state)
    }
  }

  customElements.whenDefined(NAME).then(() => {
    const options = { subtree: true, childList: true, attributeFilter: ["connected"] }
    new MutationObserver(() => elements().forEach(look)).observe(document, options)
    elements().forEach(look)
    addEventListener("online", () => resume(true))
    addEventListener("pageshow", event => { if (event.persisted) resume(true) })
    document.addEventListener("visibilitychange", () => {
      if (document.hidden) hiddenAt = Date.now()
      else resume(Date.now() - hiddenAt > 10_000)
    })
  })
}
