// Optional, for pages in Hotwire Native apps: <script type="module" src="/paycast-native.js"></script>
// In an app with the bridge component `paywall`, elements with data-paycast-buy, -restore, -manage, -redeem and -refund ask the
// app's store, and data-paycast-price shows its prices. Everywhere else they stay what they are. Success comes by the stream.
{
  const component = "paywall"
  const events = { buy: "purchase", restore: "restore", manage: "manage", redeem: "redeem", refund: "refund" }
  const waiting = { purchase: "buying", restore: "restoring", manage: "opening", redeem: "opening", refund: "opening" }
  const texts = {
    buying: "Waiting for the store …",
    confirming: "Thank you. Your purchase is being confirmed.",
    delivered: "Thank you. Your purchase is there.",
    pending: "Waiting for approval. You will have access as soon as it is given.",
    kept: "Thank you. Your purchase is safe, and is confirmed as soon as there is a connection.",
    cancelled: "The purchase was cancelled.",
    offline: "There is no connection. Please try again later.",
    recorded: "Your purchase has arrived, but gives no access yet.",
    not_logged_in: "Please log in first.",
    not_allowed: "Purchases are not allowed on this device.",
    not_available: "This is not for sale in your country or region.",
    not_eligible: "This offer is not for you.",
    unknown_offer: "This offer is over.",
    owned_by_other: "This purchase belongs to another account.",
    refused: "Your purchase could not be verified. Please contact support.",
    logged_out: "Your purchase is safe. Please log in to get it.",
    already_owned: "You have this already. If it does not open, restore your purchases.",
    changes_at_renewal: "Thank you. Your plan changes when it renews.",
    failed: "That did not work. Please try again later.",
    restoring: "Looking for your purchases …",
    restored: "Your purchases are restored.",
    restore_cancelled: "Nothing was restored.",
    nothing: "There are no purchases to restore.",
    requested: "The store has your request.",
    nothing_bought: "There is no purchase to give back.",
    already_requested: "The store has your request already.",
  }
  const isBusy = state => state === "confirming" || Object.values(waiting).includes(state)
  const waits = ["pending", "kept"]
  // Of a purchase that no connection cures, the app tells too, and that it has ended.
  const held = ["refused", "logged_out"]
  const isHeld = (key, state) => key.startsWith("purchase ") && held.includes(state)
  const isTaken = state => isBusy(state) || state === "kept"
  const isOver = state => !isTaken(state) && state !== "pending"
  const shownAnswers = Object.keys(texts).filter(word => !isBusy(word) && word !== "restored")

  const root = document.documentElement.dataset
  const statuses = "[data-paycast-status]"
  const selector = Object.keys(events).map(name => `[data-paycast-${name}]`).join()
  const all = selector => [...document.querySelectorAll(selector)]
  const inherited = (element, name) => element?.closest(`[${name}]`)?.getAttribute(name)
  const eventOf = button => events[Object.keys(events).find(name => button.hasAttribute(`data-paycast-${name}`))]
  // One button for several plans has data-paycast-buy="": its form's field `product` tells which is chosen.
  const productOf = ({ dataset: { paycastBuy, paycastRefund = "" }, form }) =>
    paycastBuy === undefined ? paycastRefund : paycastBuy || (form && new FormData(form).get("product"))
  const keyOf = button => `${eventOf(button)} ${productOf(button)}`
  const signed = "[data-paycast-order], [data-paycast-stream]"
  const sectionOf = ({ parentElement }) => parentElement.closest(signed) ?? parentElement

  // MARK: The bridge
  // A page without @hotwired/hotwire-native-bridge gets an object that the app's adapter, and components that load later,
  // take for that library's.
  const createBridge = () => {
    const callbacks = new Map()
    // Ids that no page before has used: an answer to that page's message must not be taken for one to this page's.
    let adapter, unsent = [], lastID = Date.now()
    return {
      supportsComponent: name => Boolean(adapter?.supportsComponent(name)),
      receive: message => callbacks.get(message.id)?.(message),
      removeCallbackFor: id => callbacks.delete(id),
      removePendingMessagesFor: component => { unsent = unsent.filter(message => message.component !== component) },
      send({ component, event, data = {}, callback }) {
        if (!adapter) unsent.push({ component, event, data, callback })
        if (!this.supportsComponent(component)) return null
        const id = String(++lastID)
        if (callback) callbacks.set(id, callback)
        adapter.receive({ id, component, event, data })
        return id
      },
      setAdapter(newest) {
        adapter = newest
        root.bridgePlatform = adapter.platform
        this.adapterDidUpdateSupportedComponents()
        unsent.splice(0).forEach(message => this.send(message))
      },
      adapterDidUpdateSupportedComponents() { if (adapter) root.bridgeComponents = adapter.supportedComponents.join(" ") },
    }
  }

  const bridge = () => window.HotwireNative?.web ?? window.Strada?.web
  // The user agent names the components before the adapter is there: a tap as early as that must not reach the form.
  const promised = navigator.userAgent.match(/bridge-components: \[(.*?)\]/)?.[1].split(" ") ?? []
  const isNative = () => (root.bridgeComponents?.split(" ") ?? promised).includes(component)

  // The app drops messages whose address is not the webview's. JSON leaves out what is undefined. The library counts its
  // messages anew on each page: an answer to another event is meant for the page before.
  const send = (event, button, data, answered) => {
    const [order, stream] = ["order", "stream"].map(name => inherited(button, `data-paycast-${name}`))
    const sent = { order, userId: order, stream, ...data, metadata: { url: location.href } }
    const callback = message => message.event === event && answered(message.data ?? {})
    bridge().send({ component, event, data: JSON.parse(JSON.stringify(sent)), callback })
  }

  // MARK: What happens to each product
  // A button is busy until its newest message is answered, whatever is heard meanwhile, or until the app says that it does
  // nothing of the kind. It is asked when the page appears, when the bridge connects, and when a busy button is tapped: no
  // answer that is lost keeps a button busy.
  // By key, which outlives the elements: the state, the newest last; the numbers of its newest message and of what came last.
  const [states, messages, heard] = [new Map(), new Map(), new Map()]
  let count = 0, unanswered
  const change = (key, state) => {
    states.delete(key)
    if (state) states.set(key, state)
  }

  // What is shown after an answer; undefined: nothing.
  const outcome = (event, { status, error, subscriptionIds }) => {
    const isDone = ["success", "granted", "restored"].includes(status)
    const own = shownAnswers.find(word => word === status || word === error)
    if (own) return own === "cancelled" && event !== "purchase" ? `${event}_cancelled` : own
    if (error || status === "error" || (event === "purchase" && !isDone)) return navigator.onLine ? "failed" : "offline"
    if (event === "restore") return (subscriptionIds ? subscriptionIds.length : isDone) ? "restored" : "nothing"
    if (isDone && event !== "manage") return "confirming"
  }

  const press = button => {
    const [key, event, product] = [keyOf(button), eventOf(button), productOf(button)]
    if (isTaken(states.get(key))) return askAgain(key)
    if (event === "purchase" && !product) return
    for (const [other, state] of states) if (isOver(state) && !isHeld(other, state)) states.delete(other)
    const number = ++count
    for (const numbers of [messages, heard]) numbers.set(key, number)
    change(key, waiting[event])
    const bought = product && { ...identifiers(product), correlationId: inherited(button, "data-paycast-order") }
    if (event === "purchase") bought.offer = inherited(button, "data-paycast-offer") ?? undefined
    send(event, button, bought, data => {
      const state = outcome(event, data)
      // A late answer to an older message may only bring good news.
      if (messages.get(key) !== number && !["confirming", "delivered"].includes(state)) return
      heard.set(key, ++count)
      change(key, state)
      const target = button.isConnected ? button : document
      target.dispatchEvent(new CustomEvent("paycast:answer", { bubbles: true, detail: { event, product, state, data } }))
      look()
    })
    look()
  }

  // The app knows what an earlier page, another webview or a killed process has begun, and may answer again when that
  // changes. What `purchases` does not list has ended, or has never reached it; `pending` lists what waits for approval only.
  // An appearance ends `confirming`, for pages that no stream changes, and a tap only if it buys nothing: nobody buys twice.
  const askForState = (frees = () => false) => {
    const [button] = all(selector)
    if (!button) return
    const asked = ++count
    let isNews = false
    send("state", button, {}, ({ purchases, pending }) => {
      unanswered = undefined
      const list = purchases ?? pending?.map(productId => ({ productId, status: "pending" }))
      if (!list) return
      const open = list.filter(({ status }) => ["buying", ...waits, ...held].includes(status))
      const told = new Map(open.map(({ productId, status }) => [`purchase ${productNamed(productId)}`, status]))
      const mayEnd = (key, state) => purchases ? (!isOver(state) || isHeld(key, state)) && (state !== "confirming" || frees(key)) : state === "pending"
      // An answer to the purchase itself, which came after the question, knows better; but of what waits, the next one is news.
      const isOlder = key => (heard.get(key) ?? 0) <= asked || (isNews && waits.includes(states.get(key)))
      for (const [key, state] of states) if (isOlder(key) && !told.has(key) && mayEnd(key, state)) states.delete(key)
      for (const [key, state] of told) if (isOlder(key) && states.get(key) !== state) {
        change(key, state)
        heard.set(key, asked)
      }
      isNews = true
      look()
    })
  }

  // Of a tap. An app that has left the question of the tap before unanswered drops everything, so it does not buy either.
  const askAgain = key => {
    const isInVain = unanswered === key && Object.values(waiting).includes(states.get(key))
    unanswered = isInVain ? change(key) : key
    askForState(other => other === key && !key.startsWith("purchase "))
    look()
  }

  // MARK: Prices, by product. Undefined: asked for. Null: the store has none.
  const prices = new Map()
  const mentions = () => all("[data-paycast-buy], [data-paycast-price], [data-paycast-refund]")
  const mentioned = ({ dataset }) => [dataset.paycastBuy, dataset.paycastPrice, dataset.paycastRefund].filter(Boolean)

  // `product` and `productId` are the name in the app's store; the others are those that PurchaseKit's component takes.
  const identifiers = product => {
    const named = mentions().filter(element => mentioned(element).includes(product))
    const other = name => named.find(element => element.hasAttribute(name))?.getAttribute(name)
    const googleStoreBasePlanId = other("data-paycast-google-base-plan")
    const googleStoreProductId = other("data-paycast-google-product") ?? product
    const appleStoreProductId = other("data-paycast-apple-product") ?? product
    const own = /android/i.test(root.bridgePlatform ?? navigator.userAgent) ? googleStoreProductId : appleStoreProductId
    return { googleStoreBasePlanId, product: own, productId: own, appleStoreProductId, googleStoreProductId }
  }

  // `PRODUCT:PLAN` tells two base plans of a Google product apart.
  const fullName = ({ productId, googleStoreBasePlanId }) => `${productId}:${googleStoreBasePlanId}`
  const isNamed = (ids, id) => id === ids.productId || id === fullName(ids)
  const productNamed = id => mentions().flatMap(mentioned).find(product => isNamed(identifiers(product), id)) ?? id

  const askForPrices = () => {
    const products = all("[data-paycast-price]").map(element => element.dataset.paycastPrice)
    const unknown = new Map(products.filter(name => name && !prices.has(name)).map(name => [name, identifiers(name)]))
    if (!unknown.size) return
    for (const product of unknown.keys()) prices.set(product, undefined)
    send("prices", undefined, { products: [...unknown.values()] }, ({ prices: told }) => {
      const priceOf = ids => [fullName(ids), ...Object.values(ids)].map(id => told[id]).find(Boolean) ?? null
      for (const [product, ids] of told ? unknown : []) prices.set(product, priceOf(ids))
      look()
    })
  }

  // MARK: What the page shows. Only differences are written.
  const put = (element, name, value) => {
    if (!value) element.removeAttribute(name)
    else if (element.getAttribute(name) !== value) element.setAttribute(name, value)
  }

  // What the page was rendered with is the web's price: in the app nobody sees it, be the store slow or not to be asked.
  const concealed = new Set()
  const showPrice = element => {
    const price = prices.get(element.dataset.paycastPrice)
    if (price && element.textContent !== price) element.textContent = price
    if (!price && !element.hidden) concealed.add(element)
    if (element.hidden === Boolean(price)) element.hidden = !price
  }

  const showWebPrices = () => {
    for (const element of concealed) element.hidden = false
    concealed.clear()
  }

  // aria-disabled instead of disabled: the button keeps the focus.
  const showState = (button, state) => {
    if (!state && !button.hasAttribute("data-paycast-state")) return
    put(button, "data-paycast-state", state)
    put(button, "aria-busy", isBusy(state) && "true")
    put(button, "aria-disabled", isTaken(state) && "true")
  }

  // What holds a button or a price must stay as it is.
  const allStatuses = () => all(statuses).filter(status => !status.querySelector(`${selector}, [data-paycast-price]`))
  const statusOf = (section, sections) => {
    const isNearest = at => at === section || (at && !at.matches(signed) && !sections.has(at) && isNearest(at.parentElement))
    const own = allStatuses().find(({ parentElement }) => isNearest(parentElement))
    return own ?? section.appendChild(document.createElement("div"))
  }

  const showTexts = (section, sections, buttons) => {
    const status = statusOf(section, sections)
    status.toggleAttribute("data-paycast-status", true)
    put(status, "role", "status")
    put(status, "aria-live", "polite")
    const lines = [...states].flatMap(([key, state]) => {
      const button = buttons.find(button => keyOf(button) === key && sectionOf(button) === section)
      const own = inherited(button, `data-paycast-text-${state.replaceAll("_", "-")}`)
      const text = own ?? texts[state]
      return button && text ? [{ button, text, lang: own == null ? "en" : "" }] : []
    })
    // Without what a status in the button says, which would grow by itself.
    const textOf = button => [...button.querySelectorAll(statuses)]
      .reduce((text, { textContent }) => text.replace(textContent, ""), button.textContent)
    const nameOf = button => button.getAttribute("aria-label") ?? textOf(button).trim().replace(/\s+/g, " ")
    const told = (button, text) => lines.length > 1 ? `${nameOf(button)}: ${text}` : text
    const written = lines.map(({ button, text, lang }) => ({ lang, textContent: told(button, text) }))
    const isSame = (line, at) => ["lang", "textContent"].every(name => status.children[at]?.[name] === line[name])
    if (status.children.length === written.length && written.every(isSame)) return
    status.replaceChildren(...written.map(line => Object.assign(document.createElement("p"), line)))
  }

  const wipe = () => {
    if (!states.size) return
    for (const button of all(selector)) showState(button)
    for (const status of allStatuses()) status.replaceChildren()
  }

  const seen = new WeakSet()
  let focused, isLeaving = false
  const show = () => {
    if (isLeaving) return
    if (!isNative()) return wipe(), showWebPrices()
    const buttons = all(selector)
    const fresh = buttons.filter(button => !seen.has(button))
    for (const button of fresh) {
      seen.add(button)
      if (eventOf(button) !== "purchase") button.hidden = false
      // Whoever rendered it knew better than what was shown before.
      const state = states.get(keyOf(button))
      if (isOver(state) || state === "confirming") states.delete(keyOf(button))
    }
    if (fresh.length) askForState()
    askForPrices()
    all("[data-paycast-price]").forEach(showPrice)
    for (const button of buttons) showState(button, states.get(keyOf(button)))
    const sections = new Set(buttons.map(sectionOf))
    for (const section of sections) showTexts(section, sections, buttons)
    // A button that a stream replaces hands the focus to its successor.
    if (!focused || focused.isConnected || document.activeElement !== document.body) return
    focused = buttons.find(button => keyOf(button) === keyOf(focused))
    focused?.focus({ preventScroll: true })
  }

  // What the script writes does not make it look again, except once at what a custom element has made of it. A script of the
  // page that always changes it back is answered three times a frame, so the page goes on.
  let turns = 0
  const observer = new MutationObserver(() => {
    if (!turns++) requestAnimationFrame(() => {
      if (turns > 3) look()
      turns = 0
    })
    if (turns <= 3) look()
  })
  const look = () => {
    show()
    if (observer.takeRecords().length) show()
    observer.takeRecords()
  }

  // What has no price yet is asked for again with every appearance.
  const appear = () => {
    isLeaving = false
    if (!isNative()) return
    for (const [product, price] of prices) if (!price) prices.delete(product)
    look()
    askForState(() => true)
  }

  const start = () => {
    if (!bridge()) {
      window.Strada = { web: createBridge() }
      document.dispatchEvent(new Event("web-bridge:ready"))
    }
    const attributeFilter = ["data-paycast-state", "aria-busy", "aria-disabled"]
    observer.observe(document, { subtree: true, childList: true, characterData: true, attributeFilter })
    new MutationObserver(() => {
      look()
      if (states.size) askForState()
    }).observe(document.documentElement, { attributeFilter: ["data-bridge-components"] })
    document.addEventListener("click", event => {
      const button = event.target.closest?.(selector)
      if (!button || !isNative()) return
      event.preventDefault()
      press(button)
    }, true)
    document.addEventListener("change", look)
    document.addEventListener("focusin", ({ target }) => focused = target.closest?.(selector))
    // Turbo keeps a copy of the page that it leaves: without what is true only now.
    document.addEventListener("turbo:before-cache", () => { wipe(); [isLeaving, focused] = [true, undefined] })
    document.addEventListener("turbo:render", () => { isLeaving = false })
    document.addEventListener("turbo:load", appear)
    document.addEventListener("visibilitychange", () => document.hidden || appear())
    addEventListener("pageshow", ({ persisted }) => { if (persisted) appear() })
    look()
  }

  if (window.nativeBridge || promised.length) start()
}
