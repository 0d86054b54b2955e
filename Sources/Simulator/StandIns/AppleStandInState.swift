internal import Domain
internal import Encoding

/// The state of the stand-in for Apple's API. Pure. Bounded, because a development server may run for weeks.
struct AppleStandInState {
    private static let limit = 10_000

    private var received: [(notification: DecodedNotification, isLost: Bool)] = []
    /// The newest statement, by original transaction id.
    private var subscriptions: [String: DecodedNotification.Statement] = [:]
    /// The newest version, by transaction id.
    private var transactions: [String: TransactionDocument] = [:]
    private var tokens: [String: OrderToken] = [:]
    private var finished: Set<String> = []
    /// Purchases made on devices: original transaction ids, by the device's account.
    private var purchases: [UserID: Set<String>] = [:]
    /// By the token that the API handed out.
    var tests: [String: WireJSON] = [:]

    /// The order of the calls does not matter.
    mutating func remember(_ new: DecodedNotification, isLost: Bool) {
        if received.count >= AppleStandInState.limit || transactions.count >= AppleStandInState.limit {
            self = AppleStandInState()
        }
        received.removeAll { $0.notification.id == new.id }
        received.append((new, isLost))
        if let statement = new.statement { learn(statement) }
    }

    private mutating func learn(_ statement: DecodedNotification.Statement) {
        let transaction = statement.transaction
        if transactions[transaction.transactionId].map({ $0.signedDate <= transaction.signedDate }) ?? true {
            transactions[transaction.transactionId] = transaction
        }
        let known = subscriptions[transaction.originalTransactionId]
        guard statement.renewal != nil, known.map({ $0.signedDate <= statement.signedDate }) ?? true else { return }
        subscriptions[transaction.originalTransactionId] = statement
    }

    /// The App Store knows of a purchase at once, whenever its webhook goes out.
    mutating func buy(_ statement: DecodedNotification.Statement, for account: UserID) {
        if transactions.count >= AppleStandInState.limit { self = AppleStandInState() }
        learn(statement)
        purchases[account, default: []].insert(statement.transaction.originalTransactionId)
    }

    func knows(_ lineage: String) -> Bool { subscriptions[lineage] != nil }

    /// The subscriptions that give the account access.
    func entitlements(of account: UserID, at now: Instant) -> [TransactionDocument] {
        purchases[account, default: []].sorted().compactMap { subscriptions[$0]?.standing(at: now) }
            // Active, or in a grace period.
            .filter { [1, 4].contains($0.status) }.map { tokened($0.transaction) }
    }

    mutating func setToken(_ token: OrderToken, of lineage: String) {
        tokens[lineage] = token
    }

    mutating func finish(_ id: String) {
        finished.insert(id)
    }

    /// What Paycast told the store; the tokens by original transaction id.
    var jobs: WireJSON {
        let told = tokens.sorted { $0.key < $1.key }.map { token in
            WireJSON.Member(name: token.key, value: .text(token.value.description))
        }
        return ["accountTokens": .object(told), "finished": .list(finished.sorted().map { .text($0) })]
    }

    func transaction(_ id: String, in environment: StoreEnvironment?) -> TransactionDocument? {
        let known = transactions[id] ?? transactions.values.first { $0.originalTransactionId == id }
        return known.flatMap { $0.environment == (environment?.rawValue ?? $0.environment) ? tokened($0) : nil }
    }

    /// All transactions of the buyer to whom the transaction or download `id` belongs; newest first.
    func transactions(behind id: String, in environment: StoreEnvironment?) -> [TransactionDocument] {
        guard let buyer = transaction(id, in: environment)?.appTransactionId ?? download(id, in: environment) else {
            return []
        }
        return transactions.values.filter { $0.appTransactionId == buyer }.map(tokened)
            .sorted { ($0.purchaseDate, $0.transactionId) > ($1.purchaseDate, $1.transactionId) }
    }

    func subscriptions(behind id: String, in environment: StoreEnvironment?) -> [DecodedNotification.Statement] {
        let lineages = Set(transactions(behind: id, in: environment).map(\.originalTransactionId))
        return lineages.sorted().compactMap { subscriptions[$0] }.map { statement in
            var statement = statement
            statement.transaction = tokened(statement.transaction)
            statement.renewal?.appAccountToken = statement.transaction.appAccountToken
            return statement
        }
    }

    func notifications(in range: NotificationRange, environment: StoreEnvironment?) -> [WireJSON] {
        received.filter { notification, isLost in
            notification.environment == (environment?.rawValue ?? notification.environment)
                && (range.startDate...range.endDate).contains(notification.signedDate)
                && (isLost || range.onlyFailures != true)
        }.sorted {
            ($0.notification.signedDate, $0.notification.id) < ($1.notification.signedDate, $1.notification.id)
        }.map { notification, isLost in
            notification.record(isLost ? "NO_RESPONSE" : "SUCCESS", at: notification.signedDate)
        }
    }

    private func download(_ id: String, in environment: StoreEnvironment?) -> String? {
        let known = transactions.values.first { $0.appTransactionId == id }
        return known.flatMap { $0.environment == (environment?.rawValue ?? $0.environment) ? id : nil }
    }

    private func tokened(_ transaction: TransactionDocument) -> TransactionDocument {
        var transaction = transaction
        if let token = tokens[transaction.originalTransactionId] { transaction.appAccountToken = token.description }
        return transaction
    }
}

/// A webhook's body, decoded but not verified: the stand-in gets it from the signer itself.
struct DecodedNotification {
    struct Statement {
        var status: Int
        var transaction: TransactionDocument
        var renewal: RenewalDocument?

        var signedDate: Int64 { max(transaction.signedDate, renewal?.signedDate ?? .min) }

        /// The statement as of `now`: a subscription that was not renewed in time has expired.
        func standing(at now: Instant) -> Statement {
            let end = status == 4 ? renewal?.gracePeriodExpiresDate : transaction.expiresDate
            guard status == 1 || status == 4, let end, end <= now.milliseconds else { return self }
            var ended = self
            ended.status = 2
            ended.renewal?.expirationIntent = renewal?.autoRenewStatus == 1 ? 2 : 1
            ended.renewal?.autoRenewStatus = 0
            ended.renewal?.gracePeriodExpiresDate = nil
            return ended
        }
    }

    private struct Outer: Decodable {
        struct Place: Decodable {
            var environment: String?
            var status: Int?
            var signedTransactionInfo: String?
            var signedRenewalInfo: String?
        }

        var notificationUUID: String
        var signedDate: Int64
        var data: Place?
        var summary: Place?
        var appData: Place?
    }

    let payload: String
    let id: String
    let signedDate: Int64
    let environment: String
    let statement: Statement?

    /// Returns nil if the body is not a notification.
    init?(_ body: [UInt8]) {
        guard let payload = AppStoreJSON.decode([String: String].self, from: body)?["signedPayload"],
            let outer = DecodedNotification.open(Outer.self, from: payload)
        else { return nil }
        self.payload = payload
        id = outer.notificationUUID
        signedDate = outer.signedDate
        let place = outer.data ?? outer.summary ?? outer.appData
        environment = place?.environment ?? StoreEnvironment.sandbox.rawValue
        let transaction = outer.data?.signedTransactionInfo.flatMap {
            DecodedNotification.open(TransactionDocument.self, from: $0)
        }
        let renewal = outer.data?.signedRenewalInfo.flatMap { DecodedNotification.open(RenewalDocument.self, from: $0) }
        statement = transaction.map { Statement(status: outer.data?.status ?? 1, transaction: $0, renewal: renewal) }
    }

    /// An entry of the history, delivered once with this result.
    func record(_ result: String, at date: Int64) -> WireJSON {
        [
            "signedPayload": .text(payload),
            "sendAttempts": [["attemptDate": .number(date), "sendAttemptResult": .text(result)]],
        ]
    }

    private static func open<Document: Decodable>(_ type: Document.Type, from text: String) -> Document? {
        let parts = text.split(separator: ".").map(String.init)
        guard parts.count == 3, let json = Base64URL.decode(parts[1]) else { return nil }
        return AppStoreJSON.decode(type, from: json)
    }
}

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
