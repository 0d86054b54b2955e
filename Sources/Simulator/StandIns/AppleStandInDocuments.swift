internal import Domain
internal import Encoding

struct NotificationRange: Decodable {
    var startDate: Int64
    var endDate: Int64
    var onlyFailures: Bool?
}

/// One page of twenty items. The token of the next page belongs to one query: Apple demands the identical query for
/// every page.
struct StandInPage<Item> {
    private static var size: Int { 20 }

    let items: [Item]
    let hasMore: Bool
    let next: String

    /// Returns nil for a token that was not issued for this query.
    init?(_ all: [Item], after token: String?, of query: String) {
        let mark = StoreID.make(query)
        let words = token.map { $0.split(separator: "-") } ?? ["0", mark[...]]
        guard words.count == 2, words[1] == mark, let start = Int(words[0]), (0...all.count).contains(start) else {
            return nil
        }
        items = Array(all[start...].prefix(StandInPage.size))
        hasMore = start + items.count < all.count
        next = "\(start + items.count)-\(mark)"
    }
}

/// The caller: the claims of a JSON Web Token in the form that Apple demands. The stand-in accepts any key's signature.
struct AppleCaller: Decodable {
    private struct Header: Decodable {
        var alg: String
        var kid: String
    }

    var iss: String
    var iat: Int64
    var exp: Int64
    var aud: String
    var bid: String

    init?(_ authorization: String?, now: Instant) {
        guard let authorization, authorization.hasPrefix("Bearer ") else { return nil }
        let parts = authorization.dropFirst("Bearer ".count).split(separator: ".").map(String.init)
        guard parts.count == 3, let head = Base64URL.decode(parts[0]), let claims = Base64URL.decode(parts[1]),
            let header = AppStoreJSON.decode(Header.self, from: head), header.alg == "ES256", !header.kid.isEmpty,
            let caller = AppStoreJSON.decode(AppleCaller.self, from: claims), caller.aud == "appstoreconnect-v1",
            !caller.iss.isEmpty, !caller.bid.isEmpty, caller.iat <= now.seconds + 60, caller.exp > now.seconds,
            caller.exp - caller.iat <= 3600
        else { return nil }
        self = caller
    }
}

extension StandInAnswer {
    static func json(_ document: WireJSON) -> StandInAnswer { StandInAnswer(status: 200, body: document.bytes) }

    static func refusal(_ status: Int, code: Int, message: String) -> StandInAnswer {
        StandInAnswer(status: status, body: Array(#"{"errorCode":\#(code),"errorMessage":"\#(message)"}"#.utf8))
    }

    static var unknownTransaction: StandInAnswer {
        .refusal(404, code: 4_040_010, message: "Transaction id not found.")
    }

    static var unauthenticated: StandInAnswer { StandInAnswer(status: 401, body: Array("Unauthenticated\n".utf8)) }
}
