// Optional, for pages in Hotwire Native apps: <script type="module" src="/paycast-native.js"></script>
// In an app with the bridge component `paywall`, elements with data-paycast-buy, -restore, -manage and -redeem ask the app's
// store, and data-paycast-price shows its prices. Everywhere else they stay what they are. Success comes by the page's stream.
{
  const component = "paywall"
  const events = { buy: "purchase", restore: "restore", manage: "manage", redeem: "redeem" }
  const waiting = { purchase: "buying", restore: "restoring", manage: "opening", redeem: "opening" }
  const texts = {
    buying: "Waiting for the store …",
    confirming: "Thank you. Your purchase is being confirmed.",
    pending: "Waiting for approval. You will have access as soon as it is given.",
    kept: "Thank you. Your purchase is safe, and is confirmed as soon as there is a connection.",
    cancelled: "The purchase was cancelled.",
    offline: "There is no connection. Please try again later.",
    recorded: "Your purchase has arrived, but gives no access yet.",
    owned_by_other: "This purchase belongs to another account.",
    failed: "That did not work. Please try again later.",
    restoring: "Looking for your purchases …",
    restored: "Your purchases are restored.",
    nothing: "There are no purchases to restore.",
  }
  const isBusy = state => state === "confirming" || Object.values(waiting).includes(state)
  // What an answer may say as it is shown.
  const words = ["offline", "owned_by_other", "pending", "kept", "recorded", "cancelled", "failed", "nothing"]
  const isOver = state => !isBusy(state) && state !== "pending" && state !== "kept"

  const selector = Object.keys(events).map(name => `[data-paycast-${name}]`).join()
  const all = selector => [...document.querySelectorAll(selector)]
  const inherited = (element, name) => element.closest(`[${name}]`)?.getAttribute(name)
  const eventOf = button => events[Object.keys(events).find(name => button.hasAttribute(`data-paycast-${name}`))]
  // One button for several plans has data-paycast-buy="": its form's field `product` tells which is chosen.
  const productOf = button =>
    eventOf(button) === "purchase" ? button.dataset.paycastBuy || (button.form && new FormData(button.form).get("product")) : ""
  const keyOf = button => `${eventOf(button)} ${productOf(button)}`
  const sectionOf = button =>
    button.parentElement.closest("[data-paycast-order], [data-paycast-stream]") ?? button.parentElement

  // MARK: The bridge

  // A page without @hotwired/hotwire-native-bridge gets an object that the app's adapter, and components that load later,
  // take for that library's.
  class Bridge {
    #adapter
    #lastID = 0
    #callbacks = new Map()
    #unsent = []

    supportsComponent(name) {
      return Boolean(this.#adapter?.supportsComponent(name))
    }

    send({ component, event, data = {}, callback }) {
      if (!this.#adapter) this.#unsent.push({ component, event, data, callback })
      if (!this.supportsComponent(component)) return null
      const id = String(++this.#lastID)
      if (callback) this.#callbacks.set(id, callback)
      this.#adapter.receive({ id, component, event, data })
      return id
    }

    // An app may answer a message several times.
    receive(message) {
      this.#callbacks.get(message.id)?.(message)
    }

    removeCallbackFor(id) {
      this.#callbacks.delete(id)
    }

    removePendingMessagesFor(component) {
      this.#unsent = this.#unsent.filter(message => message.component !== component)
    }

    setAdapter(adapter) {
      this.#adapter = adapter
      document.documentElement.dataset.bridgePlatform = adapter.platform
      this.adapterDidUpdateSupportedComponents()
      this.#unsent.splice(0).forEach(message => this.send(message))
    }

    adapterDidUpdateSupportedComponents() {
      if (this.#adapter) document.documentElement.dataset.bridgeComponents = this.#adapter.supportedComponents.join(" ")
    }
  }

  const bridge = () => window.HotwireNative?.web ?? window.Strada?.web

  // The user agent names the components before the adapter is there: a tap as early as that must not reach the form.
  const promised = navigator.userAgent.match(/bridge-components: \[(.*?)\]/)?.[1].split(" ") ?? []
  const isNative = () => (document.documentElement.dataset.bridgeComponents?.split(" ") ?? promised).includes(component)

  // The app drops messages whose address is not the webview's. JSON leaves out what is undefined.
  const send = (event, data, answered) => {
    const sent = JSON.parse(JSON.stringify({ ...data, metadata: { url: location.href } }))
    bridge().send({ component, event, data: sent, callback: message => answered(message.data ?? {}) })
  }

  const buyerOf = button => {
    const order = inherited(button, "data-paycast-order")
    return { order, userId: order, stream: inherited(button, "data-paycast-stream") }
  }

  // MARK: What happens to each product

  // By key: the state, the number of the message, when its sending or its answer told it, and when it changed at all. They
  // outlive the elements that show them.
  const states = new Map()
  let count = 0

  const change = (key, state, sent, heard = ++count) => {
    if (state) states.set(key, { state, sent, heard, changed: ++count })
    else states.delete(key)
  }

  // What is shown after an answer; undefined: nothing.
  const outcome = (event, { status, error, subscriptionIds }) => {
    const isDone = ["success", "granted", "restored"].includes(status)
    const isError = error || status === "error" || (event === "purchase" && !isDone)
    const own = words.find(word => word === status || word === error)
    if (own) return own
    if (isError) return navigator.onLine ? "failed" : "offline"
    if (event === "restore") return (subscriptionIds ? subscriptionIds.length : isDone) ? "restored" : "nothing"
    if (isDone && event !== "manage") return "confirming"
  }

  const press = button => {
    const key = keyOf(button)
    const [event, product] = [eventOf(button), productOf(button)]
    const { state } = states.get(key) ?? {}
    if (isBusy(state) || state === "kept" || (event === "purchase" && !product)) return
    for (const [other, { state }] of states) if (isOver(state)) states.delete(other)
    const sent = ++count
    change(key, waiting[event], sent)
    const buyer = buyerOf(button)
    const bought = event === "purchase" ? { ...identifiers(product), correlationId: buyer.order } : {}
    send(event, { ...buyer, ...bought }, data => {
      const state = outcome(event, data)
      // A late answer to an older message may only bring good news.
      if ((states.get(key)?.sent ?? sent) !== sent && state !== "confirming") return
      change(key, state, sent)
      const target = button.isConnected ? button : document
      const detail = { event, product, state, data }
      target.dispatchEvent(new CustomEvent("paycast:answer", { bubbles: true, detail }))
      look()
    })
    look()
  }

  // The app knows what an earlier page, another webview or a killed process has begun, and may answer again when that
  // changes. What `purchases` does not list has ended, or has never reached it; `pending` lists what waits for approval only.
  const askForState = () => {
    const [button] = all(selector)
    if (!button) return
    const asked = ++count
    send("state", buyerOf(button), ({ purchases, pending }) => {
      const list = purchases ?? pending?.map(productId => ({ productId, status: "pending" }))
      if (!list) return
      const told = new Map(list.map(({ productId, status }) => [`purchase ${productNamed(productId)}`, status]))
      // An answer to the purchase itself, which came after the question, knows better.
      const isOlder = key => (states.get(key)?.heard ?? 0) <= asked
      const mayEnd = state => purchases ? !isOver(state) && state !== "confirming" : state === "pending"
      for (const [key, { state }] of states) {
        if (isOlder(key) && !told.has(key) && mayEnd(state)) states.delete(key)
      }
      for (const [key, state] of told) {
        const { sent = asked, heard = asked } = states.get(key) ?? {}
        if (isOlder(key) && ["buying", "pending", "kept"].includes(state)) change(key, state, sent, heard)
      }
      look()
    })
  }

  // MARK: Prices

  const prices = new Map()
  const asked = new Set()

  const mentions = "[data-paycast-buy], [data-paycast-price]"
  const isAndroid = () => /android/i.test(document.documentElement.dataset.bridgePlatform ?? navigator.userAgent)

  // `product` and `productId` are the name in the app's store; the others are those that PurchaseKit's component takes.
  const identifiers = product => {
    const named = all(mentions).filter(({ dataset }) => [dataset.paycastBuy, dataset.paycastPrice].includes(product))
    const other = name => named.find(element => element.hasAttribute(name))?.getAttribute(name)
    const apple = other("data-paycast-apple-product") ?? product
    const google = other("data-paycast-google-product") ?? product
    const own = isAndroid() ? google : apple
    return {
      product: own,
      productId: own,
      appleStoreProductId: apple,
      googleStoreProductId: google,
      googleStoreBasePlanId: other("data-paycast-google-base-plan"),
    }
  }

  const productNamed = id => {
    const products = all(mentions).flatMap(({ dataset }) => [dataset.paycastBuy, dataset.paycastPrice]).filter(Boolean)
    return products.find(product => identifiers(product).productId === id) ?? id
  }

  const askForPrices = () => {
    const products = new Set(all("[data-paycast-price]").map(element => element.dataset.paycastPrice))
    const unknown = new Map(
      [...products].filter(product => product && !asked.has(product)).map(product => [product, identifiers(product)])
    )
    if (!unknown.size) return
    for (const product of unknown.keys()) asked.add(product)
    send("prices", { products: [...unknown.values()] }, data => {
      if (!data.prices) return
      for (const [product, ids] of unknown) {
        // A base plan has a price of its own.
        const price = [ids.googleStoreBasePlanId, ...Object.values(ids)].map(id => data.prices[id]).find(Boolean)
        prices.set(product, price ?? null)
      }
      look()
    })
  }

  // MARK: What the page shows. Only differences are written, because every write is looked at again.

  const put = (element, name, value) => {
    if (!value) element.removeAttribute(name)
    else if (element.getAttribute(name) !== value) element.setAttribute(name, value)
  }

  const showPrice = element => {
    const price = prices.get(element.dataset.paycastPrice)
    if (price === undefined) return
    if (price && element.textContent !== price) element.textContent = price
    if (element.hidden === Boolean(price)) element.hidden = !price
  }

  // aria-disabled instead of disabled: the button keeps the focus.
  const showState = (button, state) => {
    if (!state && !button.hasAttribute("data-paycast-state")) return
    put(button, "data-paycast-state", state)
    put(button, "aria-busy", isBusy(state) && "true")
    put(button, "aria-disabled", (isBusy(state) || state === "kept") && "true")
  }

  const statusOf = section => {
    let status = section.querySelector("[data-paycast-status]")
    if (!status) {
      status = section.appendChild(document.createElement("div"))
      status.dataset.paycastStatus = ""
    }
    put(status, "role", "status")
    put(status, "aria-live", "polite")
    return status
  }

  const lineOf = button => {
    const { state } = states.get(keyOf(button))
    const own = inherited(button, `data-paycast-text-${state.replaceAll("_", "-")}`)
    return { text: own ?? texts[state] ?? "", lang: own == null ? "en" : "" }
  }

  const showTexts = (section, buttons) => {
    const status = statusOf(section)
    const changed = button => states.get(keyOf(button)).changed
    const lines = new Map(
      buttons.filter(button => states.has(keyOf(button))).sort((one, other) => changed(one) - changed(other))
        .map(button => [keyOf(button), { name: nameOf(button), ...lineOf(button) }])
    )
    const shown = [...lines.values()].filter(({ text }) => text)
    const told = ({ name, text }) => shown.length > 1 ? `${name}: ${text}` : text
    const written = shown.map(line => ({ lang: line.lang, textContent: told(line) }))
    const isSame = (element, line) => element?.textContent === line.textContent && element.lang === line.lang
    if (status.children.length === written.length && written.every((line, at) => isSame(status.children[at], line))) return
    status.replaceChildren(...written.map(line => Object.assign(document.createElement("p"), line)))
  }

  const nameOf = button => button.getAttribute("aria-label") ?? button.textContent.trim().replace(/\s+/g, " ")

  const seen = new WeakSet()
  let focused
  let isLeaving = false

  // A button that a stream replaces hands the focus to its successor.
  const keepFocus = buttons => {
    if (!focused || focused.isConnected || document.activeElement !== document.body) return
    focused = buttons.find(button => keyOf(button) === keyOf(focused))
    focused?.focus({ preventScroll: true })
  }

  const look = () => {
    if (isLeaving || !isNative()) return
    const buttons = all(selector)
    const fresh = buttons.filter(button => !seen.has(button))
    for (const button of fresh) {
      seen.add(button)
      if (eventOf(button) !== "purchase") button.hidden = false
      // Whoever rendered it knew better than what was shown before.
      const { state } = states.get(keyOf(button)) ?? {}
      if (state && (isOver(state) || state === "confirming")) states.delete(keyOf(button))
    }
    if (fresh.length) askForState()
    askForPrices()
    all("[data-paycast-price]").forEach(showPrice)
    const sections = new Map()
    for (const button of buttons) {
      showState(button, states.get(keyOf(button))?.state)
      sections.set(sectionOf(button), [...(sections.get(sectionOf(button)) ?? []), button])
    }
    for (const [section, own] of sections) showTexts(section, own)
    keepFocus(buttons)
  }

  // What has no price yet is asked for again with every appearance.
  const appear = () => {
    isLeaving = false
    if (!isNative()) return
    for (const product of asked) if (!prices.get(product)) asked.delete(product)
    look()
    askForState()
  }

  // Turbo keeps a copy of the page that it leaves: without what is true only now.
  const leave = () => {
    isLeaving = true
    focused = undefined
    for (const button of all(selector)) showState(button)
    for (const status of all("[data-paycast-status]")) status.replaceChildren()
  }

  const start = () => {
    if (!bridge()) {
      window.Strada = { web: new Bridge() }
      document.dispatchEvent(new Event("web-bridge:ready"))
    }
    const attributeFilter = ["data-bridge-components", "data-paycast-state", "aria-busy", "aria-disabled"]
    new MutationObserver(look).observe(document, { subtree: true, childList: true, characterData: true, attributeFilter })
    document.addEventListener("click", event => {
      const button = event.target.closest?.(selector)
      if (!button || !isNative()) return
      event.preventDefault()
      press(button)
    }, true)
    document.addEventListener("change", look)
    document.addEventListener("focusin", ({ target }) => focused = target.closest?.(selector))
    document.addEventListener("turbo:before-cache", () => isNative() && leave())
    document.addEventListener("turbo:render", () => { isLeaving = false })
    document.addEventListener("turbo:load", appear)
    document.addEventListener("visibilitychange", () => document.hidden || appear())
    addEventListener("pageshow", ({ persisted }) => { if (persisted) appear() })
    look()
  }

  if (window.nativeBridge || promised.length) start()
}
