import Foundation
import HotwireNative
import PaycastKit
import WebKit

/// The paywall's end of the bridge. Copy this file into the app: the app links HotwireNative, and this package cannot.
/// Then, before the first page:
///
///     PaywallComponent.purchases = purchases
///     PaywallComponent.frames = PageFrames(origins: ["https://shop.example.com"])
///     Hotwire.config.makeCustomWebView = { PaywallComponent.frames.makeWebView($0) }
///     Hotwire.registerBridgeComponents([PaywallComponent.self])
final class PaywallComponent: BridgeComponent {
    override nonisolated class var name: String { "paywall" }

    static var purchases: Purchases?
    static var frames = PageFrames(origins: [])

    /// The page's last question for the state, which is answered again with each change: a page that was loaded in the middle of
    /// a purchase, or waits for an approval, has no other way to hear of its end.
    private var question: Message?

    override func onReceive(message: Message) {
        guard let json = PaywallComponent.frames.take(message, of: delegate?.webView) else { return }
        let own = message.replacing(jsonData: String(decoding: json, as: UTF8.self))
        if own.event == "state" {
            if question == nil { followPurchases() }
            question = own
        }
        Task { await answer(own) }
    }

    private func followPurchases() {
        guard let changes = PaywallComponent.purchases?.openPurchases else { return }
        Task { [weak self] in
            for await _ in changes {
                guard let self, let question else { return }
                await answer(question, isNews: true)
            }
        }
    }

    private func answer(_ message: Message, isNews: Bool = false) async {
        assert(PaywallComponent.purchases != nil, "PaywallComponent.purchases is set before the first page")
        let answer = await PaywallComponent.purchases?.handle(
            message.event,
            json: Data(message.jsonData.utf8),
            isNews: isNews
        )
        let failure = Data(#"{"status":"error","error":"not_set_up"}"#.utf8)
        // To this very message: with `reply(to:)`, two purchases under way would share one answer.
        _ = try? await reply(with: message.replacing(jsonData: String(decoding: answer ?? failure, as: UTF8.self)))
    }
}

/// Hears what Hotwire Native's bridge hears, and which frame says it, which the bridge does not tell.
final class PageFrames: NSObject, WKScriptMessageHandler {
    /// Runs in main frames alone, before the page: what goes to the bridge is told here first.
    private static let script = """
        Object.defineProperty(window, "nativeBridge", { configurable: true, set(bridge) {
          const post = bridge.postMessage.bind(bridge)
          bridge.postMessage = message => { webkit.messageHandlers.paycast.postMessage(message); post(message) }
          Object.defineProperty(window, "nativeBridge", { value: bridge })
        } })
        """

    private var gate: PageGate

    /// - Parameter origins: Of the app's own pages: no other page, and no frame in one, buys or restores.
    init(origins: Set<String>) {
        gate = PageGate(origins: origins)
    }

    func makeWebView(_ configuration: WKWebViewConfiguration) -> WKWebView {
        let script = WKUserScript(source: PageFrames.script, injectionTime: .atDocumentStart, forMainFrameOnly: true)
        configuration.userContentController.addUserScript(script)
        configuration.userContentController.add(self, name: "paycast")
        return WKWebView(frame: .zero, configuration: configuration)
    }

    func userContentController(_ controller: WKUserContentController, didReceive message: WKScriptMessage) {
        guard let body = message.body as? [String: Any], body["component"] as? String == PaywallComponent.name,
            let id = body["id"] as? String, let event = body["event"] as? String,
            let json = try? JSONSerialization.data(withJSONObject: body["data"] ?? [:])
        else { return }
        let origin = message.frameInfo.securityOrigin
        let address = "\(origin.protocol)://\(origin.host)" + (origin.port == 0 ? "" : ":\(origin.port)")
        let key = [name(of: message.webView), id, event]
        gate.hear(key, json: json, isMainFrame: message.frameInfo.isMainFrame, origin: address)
    }

    func take(_ message: Message, of webView: WKWebView?) -> Data? {
        gate.take([name(of: webView), message.id, message.event])
    }

    private func name(of webView: WKWebView?) -> String { "\(webView.map { ObjectIdentifier($0).hashValue } ?? 0)" }
}
