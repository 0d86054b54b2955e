import Domain
import Encoding
import Synchronization

/// The parts of Stripe's API that Paycast reads. It answers with the documents that were put there before.
///
/// `GET /v1/subscriptions/{id}` and `/v1/charges/{id}` accept any bearer; `PUT` is for the simulated store.
public final class StripeStandIn: StandIn {
    /// Keeps an endless script from filling up a development server.
    private static let limit = 10_000

    private let documents = Mutex<[String: [UInt8]]>([:])

    public init() {}

    public func answer(_ request: StandInRequest) -> StandInAnswer? {
        guard ["/v1/subscriptions/", "/v1/charges/"].contains(where: { request.path.hasPrefix($0) }) else { return nil }
        switch request.method {
        case "PUT": return put(request)
        case "GET": return get(request)
        default: return error(405, code: "method_not_allowed", message: "Use GET, or PUT to say what GET shall answer.")
        }
    }

    private func put(_ request: StandInRequest) -> StandInAnswer {
        guard JSONNode(request.body)?.isObject == true else {
            return error(400, code: "invalid_json", message: "Put a JSON object there.")
        }
        let isTaken = documents.withLock { documents in
            guard documents[request.path] != nil || documents.count < StripeStandIn.limit else { return false }
            documents[request.path] = request.body
            return true
        }
        return isTaken
            ? StandInAnswer(status: 200, body: request.body)
            : error(507, code: "too_many_documents", message: "The stand-in is full; start the server again.")
    }

    private func get(_ request: StandInRequest) -> StandInAnswer {
        let words = request.authorization?.split(separator: " ") ?? []
        guard words.count == 2, words[0] == "Bearer" else {
            return error(401, code: "unauthorized", message: "You did not provide an API key.")
        }
        guard let document = documents.withLock({ $0[request.path] }) else {
            return error(404, code: "resource_missing", message: "No such object.")
        }
        return StandInAnswer(status: 200, body: document)
    }

    private func error(_ status: Int, code: String, message: String) -> StandInAnswer {
        let document: WireJSON = [
            "error": ["type": "invalid_request_error", "code": .text(code), "message": .text(message)]
        ]
        return StandInAnswer(status: status, body: document.bytes)
    }
}
