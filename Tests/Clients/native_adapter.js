// The app's side of Hotwire Native as a page sees it: what an app injects into its pages, after
// hotwire-native-ios's Source/Bridge/bridge.js and hotwire-native-android's core/src/main/assets/js/bridge_components.js, and
// behind it a store whose sheets the test answers. Like the app's process, the store outlives a page and is shared by all
// webviews. `data-genuine` names the library's own script, which is then injected in place of ours.
{
  const { components = "paywall", platform = "ios", shop = "shop", genuine, late } = document.currentScript.dataset
  const names = components.split(" ")
  const isAndroid = platform === "android"
  const webBridge = () => window.HotwireNative?.web ?? window.Strada?.web
  const copy = value => JSON.parse(JSON.stringify(value))
  // What crosses to another process or thread and back never arrives within the call.
  const later = work => setTimeout(work)

  const system = isAndroid ? "Android" : "iOS"
  const userAgent = `${navigator.userAgent} Hotwire Native ${system}; Turbo Native ${system}; bridge-components: [${components}];`
  Object.defineProperty(navigator, "userAgent", { value: userAgent })

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
    losesAnswers: false,
    received: [],
    dropped: [],
    prices: { "pro.annual": "79,99 €", [isAndroid ? "pro.monthly" : "apple.monthly"]: "9,99 €" },
    // What is answered without the test's help.
    automatic: {
      prices: () => ({ prices: native.prices, environment: "sandbox" }),
      state: () => ({ purchases: store.purchases }),
    },
    of(event) {
      return this.received.filter(message => message.event === event)
    },
    reply(message, data) {
      const answer = { ...message, data }
      if (!this.losesAnswers) nativeBridge.replyWith(isAndroid ? JSON.stringify(answer) : copy(answer))
    },
    /** Ends the sheet of the product's newest purchase, in whichever page it was begun. */
    finish(productId, data) {
      store.record(productId, data.status)
      const message = this.of("purchase").findLast(({ data }) => data.productId === productId)
      if (message) this.reply(message, data)
    },
    /** The app has heard that the page's end of the bridge is there. */
    register() {
      nativeBridge.register(names)
    },
    /** As when another screen of the app takes over the webview: Android injects its script again. */
    reconnect() {
      inject()
    },
  }

  const take = message => {
    if (!native.isActive || message.data.metadata?.url !== location.href) return native.dropped.push(message)
    native.received.push(message)
    if (message.event === "purchase") store.record(message.data.productId, "buying")
    const answer = native.automatic[message.event]
    if (answer) later(() => native.reply(message, answer(message)))
  }

  const initialized = () => { if (late === undefined) later(() => native.register()) }

  // MARK: What the libraries' Swift and Kotlin listen to

  const swift = message => message === "ready" ? initialized() : take(copy(message))
  if (!isAndroid) window.webkit = { messageHandlers: { bridge: { postMessage: swift } } }
  window.BridgeComponentsNative = {
    bridgeDidInitialize: initialized,
    bridgeDidUpdateSupportedComponents() {},
    // Text, as all that Kotlin gets from a page.
    bridgeDidReceiveMessage: text => take(JSON.parse(text)),
  }

  // MARK: What they inject

  class NativeBridge {
    platform = platform
    supportedComponents = []

    supportsComponent(name) {
      return this.supportedComponents.includes(name)
    }

    unregister(name) {
      this.supportedComponents = this.supportedComponents.filter(each => each !== name)
      webBridge()?.adapterDidUpdateSupportedComponents()
    }
  }

  class AppleBridge extends NativeBridge {
    constructor() {
      super()
      const registration = new Promise(resolve => this.resolve = resolve)
      document.addEventListener("web-bridge:ready", async () => {
        await registration
        webBridge().setAdapter(this)
      })
    }

    register(names) {
      this.supportedComponents.push(...names)
      this.resolve()
      webBridge()?.adapterDidUpdateSupportedComponents()
    }

    receive(message) {
      webkit.messageHandlers.bridge.postMessage(message)
    }

    replyWith(message) {
      webBridge()?.receive(message)
    }
  }

  class AndroidBridge extends NativeBridge {
    register(names) {
      this.supportedComponents.push(...names)
      if (webBridge()) webBridge().setAdapter(this)
      else document.addEventListener("web-bridge:ready", () => webBridge().setAdapter(this))
      BridgeComponentsNative.bridgeDidUpdateSupportedComponents()
      webBridge()?.adapterDidUpdateSupportedComponents()
    }

    receive(message) {
      BridgeComponentsNative.bridgeDidReceiveMessage(JSON.stringify(message))
    }

    replyWith(text) {
      webBridge()?.receive(JSON.parse(text))
    }
  }

  const inject = () => {
    if (genuine) return document.head.append(Object.assign(document.createElement("script"), { src: genuine }))
    window.nativeBridge = isAndroid ? new AndroidBridge() : new AppleBridge()
    if (isAndroid) BridgeComponentsNative.bridgeDidInitialize()
    else webkit.messageHandlers.bridge.postMessage("ready")
  }
  // iOS injects before anything of the page runs: a genuine script stands in the page then. Android waits for all of it.
  if (isAndroid) addEventListener("load", inject)
  else if (!genuine) inject()
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
