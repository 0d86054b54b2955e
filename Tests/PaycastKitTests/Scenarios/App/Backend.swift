internal import Foundation
internal import PaycastKit

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// Orders for one user, as the app's own backend makes them.
struct Backend: OrderSource, Decodable {
    var url: URL
    var key: String
    var user: String

    private struct Created: Decodable {
        var order: UUID
        var stream: SignedStream

        private enum CodingKeys: String, CodingKey {
            case order
            case stream = "signed_stream"
        }
    }

    func order(for product: String) async throws -> Order {
        var request = URLRequest(url: url)
        request.httpMethod = "POST"
        request.setValue("Bearer \(key)", forHTTPHeaderField: "Authorization")
        request.httpBody = try JSONEncoder().encode(["user": user, "product": product])
        let (body, _) = try await URLSession.shared.data(for: request)
        let created = try JSONDecoder().decode(Created.self, from: body)
        return Order(token: created.order, stream: created.stream)
    }
}
