import Foundation
import HotwireNative
import PaycastKit

/// The paywall's end of the bridge. Copy this file into the app: the app links HotwireNative, and this package cannot.
/// Then, before the first page:
///
///     PaywallComponent.purchases = purchases
///     Hotwire.registerBridgeComponents([PaywallComponent.self])
final class PaywallComponent: BridgeComponent {
    override nonisolated class var name: String { "paywall" }

    static var purchases: Purchases?

    override func onReceive(message: Message) {
        Task {
            await answer(message)
            // A page that was loaded meanwhile knows of the purchase by its question for the state, which is now another.
            if message.event == "purchase", let question = receivedMessage(for: "state") { await answer(question) }
        }
    }

    private func answer(_ message: Message) async {
        assert(PaywallComponent.purchases != nil, "PaywallComponent.purchases is set before the first page")
        let answer = await PaywallComponent.purchases?.handle(message.event, json: Data(message.jsonData.utf8))
        let failure = Data(#"{"status":"error","error":"not_set_up"}"#.utf8)
        // To this very message: with `reply(to:)`, two purchases under way would share one answer.
        _ = try? await reply(with: message.replacing(jsonData: String(decoding: answer ?? failure, as: UTF8.self)))
    }
}
