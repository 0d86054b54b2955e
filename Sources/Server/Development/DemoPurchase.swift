import Domain
import Encoding
import HTTP
import Pages
import Simulator

/// A button of the demo page: one step that a simulated store is to report for a user.
struct DemoPurchase {
    let user: String
    let store: Provider
    private let step: LifecycleStep
    private let product: String?
    /// Whether the browser posted a form: it shows whatever comes back, so it is redirected to the page.
    let isForm: Bool

    /// Reads a JSON object, or the form that a browser without JavaScript sends; nil for anything else.
    init?(_ bytes: [UInt8]) {
        isForm = bytes.first != UInt8(ascii: "{")
        guard let fields = isForm ? DemoPurchase.form(bytes) : DemoPurchase.json(bytes),
            let user = fields["user"], isValidIdentifier(user, limit: 64),
            let step = fields["step"].flatMap(LifecycleStep.init(rawValue:))
        else { return nil }
        self.user = user
        store = Provider(rawValue: fields["store"] ?? Provider.apple.rawValue)
        self.step = step
        product = fields["product"]
        guard SimulatedStores.providers.contains(store) else { return nil }
    }

    private static let names = ["user", "step", "store", "product"]

    private static func json(_ bytes: [UInt8]) -> [String: String]? {
        guard let node = try? JSONNode.object(strictly: bytes) else { return nil }
        let given = names.compactMap { name in node[name].flatMap { $0.isNull ? nil : (name, $0.text) } }
        guard given.allSatisfy({ $0.1 != nil }) else { return nil }
        return given.reduce(into: [:]) { $0[$1.0] = $1.1 }
    }

    private static func form(_ bytes: [UInt8]) -> [String: String]? {
        Query(form: bytes).map { query in names.reduce(into: [:]) { $0[$1] = query[$1] } }
    }

    /// Signs the event, posts it to the server's own webhook, and returns the answer. Blocks.
    func deliver(with driver: StoreDriver, app: String?, now: Instant) -> Response {
        let extra = SimulatedProduct.extras.first { $0.id == product }
        let vocabulary = LifecycleEventNames(store, kind: extra?.kind ?? .subscription)
        let steps = [vocabulary.prelude(to: step), step].compactMap(\.self)
        var response = Response.unavailable("unknown_step", message: "This store has no event for that.")
        for step in steps {
            guard let event = vocabulary.event(for: step) else { return response }
            var request = StoreDriver.Request(type: event.type, subtype: event.subtype, user: user)
            request.meaning = step
            request.product = product
            request.kind = extra?.kind
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
