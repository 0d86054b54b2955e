// The app's side of Hotwire Native as a page sees it: `window.nativeBridge`, which an app injects, and behind it a store
// whose sheets the test answers. Like the app's process, the store outlives a page and is shared by all webviews.
{
  const { components = "paywall", platform = "ios", shop = "shop" } = document.currentScript.dataset
  const isAndroid = platform === "android"
  const webBridge = () => window.HotwireNative?.web ?? window.Strada?.web
  const copy = value => JSON.parse(JSON.stringify(value))

  const store = {
    get purchases() {
      return JSON.parse(localStorage.getItem(shop) ?? "[]")
    },
    record(productId, status) {
      const others = this.purchases.filter(purchase => purchase.productId !== productId)
      const isOpen = ["buying", "pending", "kept"].includes(status)
      localStorage.setItem(shop, JSON.stringify(isOpen ? [...others, { productId, status }] : others))
    },
  }

  window.native = {
    isActive: true,
    received: [],
    dropped: [],
    prices: { "pro.annual": "79,99 €", "apple.monthly": "9,99 €" },
    // What is answered without the test's help, but never within the call: a message crosses processes.
    automatic: {
      prices: () => ({ prices: native.prices, environment: "sandbox" }),
      state: () => ({ purchases: store.purchases }),
    },
    of(event) {
      return this.received.filter(message => message.event === event)
    },
    reply(message, data) {
      const answer = { ...message, data }
      nativeBridge.replyWith(isAndroid ? JSON.stringify(answer) : copy(answer))
    },
    /** Ends the sheet of the product's newest purchase, in whichever page it was begun. */
    finish(productId, data) {
      store.record(productId, data.status)
      const message = this.of("purchase").findLast(({ data }) => data.productId === productId)
      if (message) this.reply(message, data)
    },
    register() {
      nativeBridge.register(components.split(" "))
    },
  }

  const take = message => {
    if (!native.isActive || message.data.metadata?.url !== location.href) return native.dropped.push(message)
    native.received.push(message)
    if (message.event === "purchase") store.record(message.data.productId, "buying")
    const answer = native.automatic[message.event]
    if (answer) setTimeout(() => native.reply(message, answer(message)))
  }

  let registered
  const registration = new Promise(resolve => registered = resolve)

  window.nativeBridge = {
    platform,
    supportedComponents: [],
    supportsComponent(name) {
      return this.supportedComponents.includes(name)
    },
    register(names) {
      this.supportedComponents.push(...names)
      if (isAndroid && webBridge()) webBridge().setAdapter(this)
      registered()
      webBridge()?.adapterDidUpdateSupportedComponents()
    },
    receive(message) {
      take(copy(message))
    },
    replyWith(answer) {
      webBridge()?.receive(isAndroid ? JSON.parse(answer) : answer)
    },
  }
  document.addEventListener("web-bridge:ready", async () => {
    await registration
    webBridge().setAdapter(nativeBridge)
  })
  // The app registers its components when it hears that the page has begun.
  if (document.currentScript.dataset.late === undefined) setTimeout(() => native.register())
}

// Both tell the test as text: a driver need not know what an engine makes of a value or of an error.
const told = async work => {
  try {
    const value = await work()
    return JSON.stringify({ value: typeof value === "function" ? null : value ?? null })
  } catch (error) {
    return JSON.stringify({ error: String(error) })
  }
}

const until = (condition, patience) =>
  told(async () => {
    const end = performance.now() + patience
    for (;;) {
      const value = await condition()
      if (value) return value
      if (performance.now() > end) throw new Error(`in vain: ${condition}\n${document.body.innerHTML}`)
      await new Promise(resolve => setTimeout(resolve, 10))
    }
  })
