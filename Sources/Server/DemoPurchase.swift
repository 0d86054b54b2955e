internal import Domain
internal import FoundationEssentials
internal import Gateway
internal import Simulator

/// A button of the demo page: one thing that the simulated store is to say of a user.
struct DemoPurchase {
    private struct Body: Decodable {
        var user: String
        var type: String
        var subtype: String?
        var product: String?
    }

    private let request: StoreDriver.Request

    /// Nil when the body is not of the page's form.
    init?(_ bytes: [UInt8]) {
        guard let body = try? JSONDecoder().decode(Body.self, from: Data(bytes)), isPlain(body.user) else { return nil }
        var request = StoreDriver.Request(type: body.type, subtype: body.subtype, user: body.user)
        request.product = body.product
        self.request = request
    }

    /// Signs it, posts it to the server's own webhook, and passes the answer on. Blocks.
    func deliver(with driver: StoreDriver, bundleID: String?, now: Instant) -> Response {
        var request = request
        request.app = bundleID
        do throws(StoreDriverError) {
            let delivery = try driver.deliver(request, now: now)
            return Response(
                status: delivery.status,
                headers: [("Content-Type", "application/json")],
                body: delivery.body
            )
        } catch {
            return .unavailable("store_failed", error.description)
        }
    }
}
