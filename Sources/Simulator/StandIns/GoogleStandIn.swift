public import Crypto
import Domain
import Encoding
import Synchronization

/// The parts of Google's API that Paycast uses, in the development server: the keys of push tokens (`/certs`), the
/// service account's access token (`/token`), purchases, and their acknowledgment.
///
/// The simulated store sends `PUT` to a purchase's address and to the list of voided purchases. A purchase that replaces
/// another one under another account id is refused, as Google Play refuses to sell it. What was acknowledged stays
/// acknowledged. `GET /jobs` shows what Paycast told it.
public final class GoogleStandIn: StandIn {
    /// Keeps an endless script from filling up a development server.
    private static let limit = 10_000

    private struct Memory {
        var documents: [String: [UInt8]] = [:]
        /// By purchase token.
        var acknowledged: Set<String> = []
        var jobs: [String] = []
        /// By the address of the list.
        var voids: [String: GoogleVoidList] = [:]
    }

    private let memory = Mutex(Memory())
    private let key: RSAPrivateKey
    private let bearer = "ya29." + Hex.encode(randomBytes(16))

    public init(key: RSAPrivateKey) {
        self.key = key
    }

    public func answer(_ request: StandInRequest) -> StandInAnswer? {
        switch (request.method, request.path) {
        case ("GET", "/certs"): return certificates
        case ("POST", "/token"): return grant(request)
        case ("GET", "/jobs"): return .json(["jobs": .list(memory.withLock { $0.jobs }.map { .text($0) })])
        default: break
        }
        let parts = request.path.split(separator: "/").map(String.init)
        guard parts.starts(with: ["androidpublisher", "v3", "applications"]), parts.count > 5,
            ["purchases", "orders"].contains(parts[4])
        else { return nil }
        let isList = parts.count == 6 && parts[5] == "voidedpurchases"
        if request.method == "PUT", parts[4] == "purchases" { return isList ? void(request) : put(request) }
        guard request.authorization == "Bearer \(bearer)" else { return error(401, reason: "authError") }
        if parts[4] == "orders" { return order(parts[5], of: parts[3]) }
        switch request.method {
        case "GET" where isList: return voids(request)
        case "GET" where parts.count == 8 && parts[6] == "tokens": return purchase(request.path, token: parts[7])
        case "POST" where parts.count == 9 && parts[7] == "tokens": return acknowledge(parts)
        default: return error(405, reason: "httpMethodNotAllowed")
        }
    }

    private var certificates: StandInAnswer {
        let numbers = key.publicNumbers
        let key: WireJSON = [
            "kty": "RSA", "alg": "RS256", "use": "sig", "kid": .text(SimulatedGooglePlay.keyID),
            "n": .text(Base64URL.encode(numbers.modulus)), "e": .text(Base64URL.encode(numbers.exponent)),
        ]
        var answer = StandInAnswer.json(["keys": [key]])
        answer.headers = [("Cache-Control", "public, max-age=3600")]
        return answer
    }

    /// Grants access to a caller that signs as the service account.
    private func grant(_ request: StandInRequest) -> StandInAnswer {
        let fields = String(decoding: request.body, as: UTF8.self).split(separator: "&")
        let assertion = fields.first { $0.hasPrefix("assertion=") }?.dropFirst(10) ?? ""
        let numbers = key.publicNumbers
        guard fields.contains("grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer"),
            let dot = assertion.lastIndex(of: "."),
            let signature = Base64URL.decode(String(assertion[assertion.index(after: dot)...])),
            let key = RSAPublicKey(modulus: numbers.modulus, exponent: numbers.exponent),
            key.isValid(signature, for: Array(assertion[..<dot].utf8)[...])
        else { return StandInAnswer(status: 400, body: Array(#"{"error":"invalid_grant"}"#.utf8)) }
        return .json(["access_token": .text(bearer), "expires_in": 3599, "token_type": "Bearer"])
    }

    private func put(_ request: StandInRequest) -> StandInAnswer {
        guard let document = JSONNode(request.body), document.isObject else { return error(400, reason: "parseError") }
        let linked = document["linkedPurchaseToken"]?.text.flatMap { replaced(by: request.path, token: $0) }
        if let linked, linked.buyer != document.buyer {
            let message = "Account identifiers don't match the previous subscription."
            return error(400, reason: "developerError", message: message)
        }
        let isTaken = memory.withLock { memory in
            guard memory.documents[request.path] != nil || memory.documents.count < GoogleStandIn.limit else {
                return false
            }
            memory.documents[request.path] = request.body
            return true
        }
        return isTaken ? StandInAnswer(status: 200, body: request.body) : error(507, reason: "tooManyDocuments")
    }

    /// The purchase beside that of `path` that has the token.
    private func replaced(by path: String, token: String) -> JSONNode? {
        let folder = path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
        return memory.withLock { $0.documents["\(folder)/\(token)"] }.flatMap { JSONNode($0) }
    }

    private func void(_ request: StandInRequest) -> StandInAnswer {
        let isTaken = memory.withLock { memory in
            let count = memory.voids.reduce(0) { $0 + $1.value.count }
            return count < GoogleStandIn.limit
                && memory.voids[request.path, default: GoogleVoidList()].add(request.body)
        }
        return isTaken ? StandInAnswer(status: 200, body: request.body) : error(400, reason: "parseError")
    }

    private func voids(_ request: StandInRequest) -> StandInAnswer {
        let list = memory.withLock { $0.voids[request.path] } ?? GoogleVoidList()
        return list.page(request.query).map { StandInAnswer(status: 200, body: $0) } ?? error(400, reason: "invalid")
    }

    private func purchase(_ path: String, token: String) -> StandInAnswer {
        let (document, isAcknowledged) = memory.withLock { ($0.documents[path], $0.acknowledged.contains(token)) }
        guard let document else { return error(404, reason: "purchaseTokenNotFound") }
        guard isAcknowledged else { return StandInAnswer(status: 200, body: document) }
        let state = "ACKNOWLEDGEMENT_STATE_"
        let text = String(decoding: document, as: UTF8.self)
            .replacing(state + "PENDING", with: state + "ACKNOWLEDGED")
        return StandInAnswer(status: 200, body: Array(text.utf8))
    }

    /// The purchase that an order paid for, a renewal's or the first one.
    private func order(_ number: String, of package: String) -> StandInAnswer {
        let folder = "/androidpublisher/v3/applications/\(package)/purchases/"
        let found = memory.withLock { $0.documents }.first { path, document in
            guard path.hasPrefix(folder), let purchase = JSONNode(document),
                let own = (purchase["latestOrderId"] ?? purchase["orderId"])?.text
            else { return false }
            return Transaction.orderNumber(own) == Transaction.orderNumber(number)
        }
        guard let token = found?.key.split(separator: "/").last else { return error(404, reason: "notFound") }
        return .json(["orderId": .text(number), "purchaseToken": .text(String(token)), "state": "PROCESSED"])
    }

    /// `…/purchases/{subscriptions|products}/{product}/tokens/{token}:{acknowledge|consume}`
    private func acknowledge(_ parts: [String]) -> StandInAnswer {
        let words = parts[8].split(separator: ":", maxSplits: 1).map(String.init)
        guard words.count == 2, ["acknowledge", "consume"].contains(words[1]) else {
            return error(404, reason: "notFound")
        }
        let path = "/" + parts[..<5].joined(separator: "/") + "/\(parts[5])v2/tokens/\(words[0])"
        let isKnown = memory.withLock { memory in
            guard memory.documents[path] != nil else { return false }
            if memory.jobs.count >= GoogleStandIn.limit { memory.jobs.removeFirst() }
            memory.acknowledged.insert(words[0])
            memory.jobs.append("\(words[1]) \(parts[5])/\(parts[6]) \(words[0])")
            return true
        }
        return isKnown ? StandInAnswer(status: 200, body: []) : error(404, reason: "purchaseTokenNotFound")
    }

    private func error(_ status: Int, reason: String, message: String = "The stand-in says no.") -> StandInAnswer {
        let document: WireJSON = [
            "error": [
                "code": .number(Int64(status)), "message": .text(message),
                "errors": .list([["reason": .text(reason), "domain": "androidpublisher"]]),
            ]
        ]
        return StandInAnswer(status: status, body: document.bytes)
    }
}

extension JSONNode {
    /// The account id of a subscription.
    fileprivate var buyer: String? { self["externalAccountIdentifiers"]?["obfuscatedExternalAccountId"]?.text }
}

/// The stand-in's list of voided purchases for one package. Pure.
struct GoogleVoidList {
    private static let pageSize = 1000

    private var entries: [(voidedAt: Int64, json: [UInt8])] = []

    var count: Int { entries.count }

    /// Returns false if the JSON is not an entry.
    mutating func add(_ json: [UInt8]) -> Bool {
        guard let entry = JSONNode(json), let voidedAt = entry["voidedTimeMillis"]?.text.flatMap({ Int64($0) }) else {
            return false
        }
        entries.append((voidedAt, json))
        return true
    }

    /// Takes the parameters that Google documents. Returns nil for a page that does not exist.
    func page(_ parameter: (String) -> String?) -> [UInt8]? {
        let start = parameter("startTime").flatMap { Int64($0) } ?? .min
        let end = parameter("endTime").flatMap { Int64($0) } ?? .max
        let size = min(parameter("maxResults").flatMap { Int($0) } ?? GoogleVoidList.pageSize, GoogleVoidList.pageSize)
        guard let first = Int(parameter("token") ?? "0"), first >= 0, size > 0, start <= end else { return nil }
        let found = entries.filter { (start...end).contains($0.voidedAt) }
        let shown = found.dropFirst(first).prefix(size).map { String(decoding: $0.json, as: UTF8.self) }
        let isLast = found.count - shown.count <= first
        let next = isLast ? "" : #","tokenPagination":{"nextPageToken":"\#(first + size)"}"#
        return Array(#"{"voidedPurchases":[\#(shown.joined(separator: ","))]\#(next)}"#.utf8)
    }
}
