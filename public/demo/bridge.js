// What Hotwire Native for iOS puts into every page of a web view: window.nativeBridge, the page's end of the bridge. The
// app's end is in phone.js. Outside of the phone there is no app, and the page is an ordinary one.
if (window.parent !== window) {
    const tellApp = (fact) => window.parent.postMessage(fact, location.origin)
    const webBridge = () => window.HotwireNative?.web ?? window.Strada?.web

    window.nativeBridge = {
        platform: "ios",
        supportedComponents: ["paywall"],
        supportsComponent(name) {
            return this.supportedComponents.includes(name)
        },
        receive(message) {
            tellApp({ message: JSON.stringify(message) })
        },
    }

    tellApp({ begins: true })
    document.addEventListener("web-bridge:ready", () => webBridge().setAdapter(window.nativeBridge))
    window.addEventListener("message", ({ source, origin, data }) => {
        if (source !== window.parent || origin !== location.origin || !data.answer) return
        webBridge()?.receive(JSON.parse(data.answer))
    })
}
