import Domain
import Encoding
import HTTP
import Pages
import Simulator

/// A button of the demo page: one step that a simulated store is to report for a user.
struct DemoPurchase {
    private struct Body {
        var user: String
        var step: String
        var store: String?
        var product: String?
    }

    let user: String
    let store: Provider
    private let step: LifecycleStep
    private let product: String?
    /// Whether the browser posted a form: it shows whatever comes back, so it is redirected to the page.
    let isForm: Bool

    /// Reads a JSON object, or the form that a browser without JavaScript sends; nil for anything else.
    init?(_ bytes: [UInt8]) {
        isForm = bytes.first != UInt8(ascii: "{")
        guard let body = isForm ? DemoPurchase.form(bytes) : DemoPurchase.json(bytes),
            isValidIdentifier(body.user, limit: 64), let step = LifecycleStep(rawValue: body.step)
        else { return nil }
        user = body.user
        store = Provider(rawValue: body.store ?? Provider.apple.rawValue)
        self.step = step
        product = body.product
        guard SimulatedStores.providers.contains(store) else { return nil }
    }

    private static func json(_ bytes: [UInt8]) -> Body? {
        guard let node = try? JSONNode.object(strictly: bytes), let user = node["user"]?.text,
            let step = node["step"]?.text
        else { return nil }
        let (store, product) = (node["store"], node["product"])
        guard [store, product].allSatisfy({ $0?.isNull ?? true || $0?.text != nil }) else { return nil }
        return Body(user: user, step: step, store: store?.text, product: product?.text)
    }

    private static func form(_ bytes: [UInt8]) -> Body? {
        guard let fields = Query(form: bytes), let user = fields["user"], let step = fields["step"] else { return nil }
        return Body(user: user, step: step, store: fields["store"], product: fields["product"])
    }

    /// Signs the event, posts it to the server's own webhook, and returns the answer. Blocks.
    func deliver(with driver: StoreDriver, app: String?, now: Instant) -> Response {
        let vocabulary = LifecycleEventNames(store)
        let steps = [vocabulary.prelude(to: step), step].compactMap(\.self)
        var response = Response.unavailable("unknown_step", message: "This store has no event for that.")
        for step in steps {
            guard let event = vocabulary.event(for: step) else { return response }
            var request = StoreDriver.Request(type: event.type, subtype: event.subtype, user: user)
            request.meaning = step
            request.product = product
            request.app = app
            do throws(StoreDriverError) {
                response = answer(to: try driver.deliver(request, now: now))
            } catch {
                return .unavailable("store_failed", message: error.description)
            }
        }
        return isForm ? DemoPage.redirect(to: user) : response
    }

    /// Google's webhook is answered with 204 and no body; the page expects JSON.
    private func answer(to delivery: StoreDriver.Delivery) -> Response {
        let body = delivery.body.isEmpty ? Array("{\"outcome\":\"committed\"}".utf8) : delivery.body
        let status = delivery.status == 204 ? 200 : delivery.status
        return Response(status: status, headers: [("Content-Type", "application/json")], body: body)
    }
}
