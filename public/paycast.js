// Optional, for pages with <turbo-stream-source>: <script type="module" src="/paycast.js"></script>
// Opens a source again at once when the page comes back (foreground, back/forward cache, network) and, backing off, when
// it is closed for good, as a WebSocket always is; says `connected` on the element. Without it nothing gets lost, only later.
// Where a morph changes an element's stream, its connection follows (https://github.com/hotwired/turbo/pull/1287).
// The page that ordered goes to its order's `success_url` when the purchase arrives.
// Days that the server wrote in UTC, since nobody told it the user's time zone, become those of the browser's.
{
  const tagged = name => [...document.getElementsByTagName(name)]
  const elements = () => tagged("turbo-stream-source").filter(element => element.streamSource)
  const backOff = attempts => Math.min(30_000, 1_000 * 2 ** attempts) * (0.5 + Math.random() / 2)
  const calm = state => state.timer = clearTimeout(state.timer)
  const states = new WeakMap()
  const streams = new WeakMap()
  let hiddenAt = Infinity

  // Turbo leaves a connection as it is when a morph gives the element another stream. turbo-rails follows since 2.0.8.
  const streamOf = element =>
    element.getAttribute("signed-stream-name") ?? element.getAttribute("src")?.replace(/([?&]since=)[^&#]*/, "$1")
  const enterAgain = element => {
    streams.set(element, streamOf(element))
    element.parentNode.insertBefore(element, element.nextSibling)
  }
  const follow = element => {
    if (!streams.has(element)) streams.set(element, streamOf(element))
    else if (streams.get(element) !== streamOf(element) && !element.constructor.observedAttributes) enterAgain(element)
  }

  // Also after a morph, which takes `connected` away and may bring a newer `src`.
  const look = element => {
    const source = element.streamSource
    const state = states.get(element) ?? { attempts: 0 }
    states.set(element, state)
    element.toggleAttribute("connected", source.readyState === source.OPEN)
    if (state.source === source) return
    calm(state)
    Object.assign(state, { source, triedAt: Date.now() })
    const changed = () => {
      if (element.streamSource !== source || !element.isConnected) return
      look(element)
      if (source.readyState === source.OPEN) calm(state)
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
    enterAgain(element)
    look(element)
  }

  // What was open for ten seconds was well; a server that accepts and closes is asked less and less often.
  const later = (element, state) => {
    if (Date.now() - state.triedAt > 10_000) state.attempts = 0
    state.timer ??= setTimeout(reopen, backOff(state.attempts++), element, state)
  }

  // After sleep or on another network a dead source still says that it is open.
  const resume = stale => {
    for (const element of elements()) {
      look(element)
      const state = states.get(element)
      if (!stale && element.hasAttribute("connected")) continue
      state.attempts = 0
      calm(state)
      // Several of the events come together, and for one return of the page.
      const wait = state.triedAt + 1_000 - Date.now()
      if (wait < 0) reopen(element, state)
      else if (!element.hasAttribute("connected")) state.timer = setTimeout(reopen, wait, element, state)
    }
  }

  // Action Cable reconnects by itself, but only after 6 to 18 seconds. All elements share one connection.
  const cable = { attempts: 0, elements: () => tagged("turbo-cable-stream-source").filter(element => element.subscription) }
  const wakeCable = () => {
    const connection = cable.elements()[0]?.subscription.consumer?.connection
    if (!connection?.monitor?.isRunning()) return
    if (!connection.isActive() || (connection.isOpen() && connection.monitor.connectionIsStale())) connection.reopen()
  }
  const lookAtCable = () => {
    const isLost = cable.elements().some(element => !element.hasAttribute("connected"))
    if (!isLost) cable.attempts = 0
    else cable.timer ??= setTimeout(() => {
      cable.timer = undefined
      wakeCable()
      lookAtCable()
    }, backOff(cable.attempts++))
  }

  const lookAtAll = () => {
    for (const element of [...elements(), ...cable.elements()]) follow(element)
    elements().forEach(look)
    lookAtCable()
  }
  // The server's templates mark them: `<time datetime="…" data-paycast-time-zone="">`. The page's other dates are the app's.
  const timeZone = new Intl.DateTimeFormat().resolvedOptions().timeZone
  const writeDay = element => {
    const text = element.firstChild
    const date = new Date(element.dateTime)
    if (element.childNodes.length !== 1 || text.nodeType !== Node.TEXT_NODE || isNaN(date)) return
    // A `lang` that is no language tag leaves the server's text.
    try {
      const language = element.closest("[lang]")?.lang.replaceAll("_", "-") || undefined
      text.data = new Intl.DateTimeFormat(language, { dateStyle: "long" }).format(date)
      element.dataset.paycastTimeZone = timeZone
    } catch {}
  }
  // A morph brings the mark back, with the server's text. What is written here makes nobody look again.
  const writeDays = () => {
    tagged("time").filter(element => element.dataset.paycastTimeZone === "").forEach(writeDay)
    dayObserver.takeRecords()
  }
  const dayObserver = new MutationObserver(writeDays)
  dayObserver.observe(document, { subtree: true, childList: true, attributeFilter: ["data-paycast-time-zone"] })
  writeDays()

  // Templates say it: `data-paycast-visit="{{success_url}}" data-paycast-bought="{{order}}"`. The page that ordered is the one on
  // which somebody tapped inside `data-paycast-order`, or that says `data-paycast-waiting`: neither the user's other pages, nor
  // what is shown later. Not again either, when the page is returned to and gets what it missed once more.
  const ordered = new Set()
  const note = token => { if (token) ordered.add(token.toLowerCase()) }
  const isVisited = order => {
    ordered.delete(order)
    try {
      const known = JSON.parse(sessionStorage.getItem("paycast-visited")) ?? []
      if (known.includes(order)) return true
      sessionStorage.setItem("paycast-visited", JSON.stringify([...known.slice(-20), order]))
    } catch {}
    return false
  }
  const parsed = address => {
    try {
      return new URL(address, document.baseURI)
    } catch {}
  }
  const goOn = ({ paycastVisit, paycastBought: order }) => {
    if (!paycastVisit || !ordered.has(order)) return
    const url = parsed(paycastVisit)
    if (url?.origin !== location.origin || isVisited(order)) return
    if (window.Turbo) Turbo.visit(url.href)
    else location.assign(url.href)
  }
  addEventListener("click", ({ target }) => note(target.closest?.("[data-paycast-order]")?.dataset.paycastOrder), true)
  document.addEventListener("turbo:before-stream-render", ({ target }) => {
    // Before the fragment takes the mark away.
    for (const { dataset } of document.querySelectorAll("[data-paycast-waiting]")) note(dataset.paycastWaiting)
    const bought = target.querySelector("template")?.content.querySelector("[data-paycast-visit]")
    if (bought) goOn(bought.dataset)
  })
  document.addEventListener("turbo:before-render", () => ordered.clear())

  const options = { subtree: true, childList: true, attributeFilter: ["connected", "src", "signed-stream-name"] }
  new MutationObserver(lookAtAll).observe(document, options)
  customElements.whenDefined("turbo-stream-source").then(lookAtAll)
  const returned = () => {
    resume(true)
    wakeCable()
  }
  addEventListener("online", returned)
  addEventListener("pageshow", ({ persisted }) => { if (persisted) returned() })
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) hiddenAt = Date.now()
    else resume(Date.now() - hiddenAt > 10_000)
  })
}
