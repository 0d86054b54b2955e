import Domain
import Encoding

/// The state of the stand-in for Apple's API. Pure. Bounded, because a development server may run for weeks.
struct AppleStandInState {
    private static let limit = 10_000

    private var received: [(notification: DecodedNotification, isLost: Bool)] = []
    /// The newest statement, by original transaction id.
    private var subscriptions: [String: DecodedNotification.Statement] = [:]
    /// The newest version, by transaction id.
    private var transactions: [String: WireJSON] = [:]
    /// By original transaction id.
    var tokens: [String: OrderToken] = [:]
    var finished: Set<String> = []
    /// Each body that came, by transaction id.
    var consumption: [String: [String]] = [:]
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
        let id = transaction[text: "transactionId"]
        if transactions[id].map({ $0.signedDate <= transaction.signedDate }) ?? true { transactions[id] = transaction }
        let known = subscriptions[transaction.lineage]
        guard statement.renewal != nil, known.map({ $0.signedDate <= statement.signedDate }) ?? true else { return }
        subscriptions[transaction.lineage] = statement
    }

    /// The App Store knows of a purchase at once, whenever its webhook goes out.
    mutating func buy(_ statement: DecodedNotification.Statement, for account: UserID) {
        if transactions.count >= AppleStandInState.limit { self = AppleStandInState() }
        learn(statement)
        purchases[account, default: []].insert(statement.transaction.lineage)
    }

    func knows(_ lineage: String) -> Bool { subscriptions[lineage] != nil }

    /// The subscriptions that give the account access.
    func entitlements(of account: UserID, at now: Instant) -> [WireJSON] {
        purchases[account, default: []].sorted().compactMap { subscriptions[$0]?.standing(at: now) }
            // Active, or in a grace period.
            .filter { [1, 4].contains($0.status) }.map { tokened($0.transaction) }
    }

    /// What Paycast told the store.
    var jobs: WireJSON {
        let told = tokens.sorted { $0.key < $1.key }.map { token in
            WireJSON.Member(name: token.key, value: .text(token.value.description))
        }
        let used = consumption.sorted { $0.key < $1.key }.map { answers in
            WireJSON.Member(name: answers.key, value: .list(answers.value.map { .text($0) }))
        }
        return [
            "accountTokens": .object(told), "finished": .list(finished.sorted().map { .text($0) }),
            "consumption": .object(used),
        ]
    }

    func transaction(_ id: String, in environment: StoreEnvironment?) -> WireJSON? {
        let known = transactions[id] ?? transactions.values.first { $0.lineage == id }
        return known.flatMap { $0.belongs(to: environment) ? tokened($0) : nil }
    }

    /// What the receipt with this order ID is for, in Production.
    func transactions(ofOrder id: String, app: String) -> [WireJSON] {
        transactions.values.filter { transaction in
            SimulatedAppStore.orderID(of: transaction[text: "transactionId"]) == id
                && transaction[text: "bundleId"] == app && transaction.belongs(to: .production)
        }.map(tokened)
    }

    /// All transactions of the buyer to whom the transaction or download `id` belongs; newest first.
    func transactions(behind id: String, in environment: StoreEnvironment?) -> [WireJSON] {
        guard let buyer = transaction(id, in: environment)?.download ?? download(id, in: environment) else { return [] }
        return transactions.values.filter { $0.download == buyer }.map(tokened).sorted { $0.rank > $1.rank }
    }

    func subscriptions(behind id: String, in environment: StoreEnvironment?) -> [DecodedNotification.Statement] {
        let lineages = Set(transactions(behind: id, in: environment).map(\.lineage))
        return lineages.sorted().compactMap { subscriptions[$0] }.map { statement in
            var statement = statement
            statement.transaction = tokened(statement.transaction)
            statement.renewal?["appAccountToken"] = statement.transaction["appAccountToken"]
            return statement
        }
    }

    func notifications(in dates: ClosedRange<Int64>, onlyFailures: Bool, environment: StoreEnvironment?) -> [WireJSON] {
        received.filter { notification, isLost in
            notification.environment == (environment?.rawValue ?? notification.environment)
                && dates.contains(notification.signedDate) && (isLost || !onlyFailures)
        }.sorted {
            ($0.notification.signedDate, $0.notification.id) < ($1.notification.signedDate, $1.notification.id)
        }.map { notification, isLost in
            notification.record(isLost ? "NO_RESPONSE" : "SUCCESS", at: notification.signedDate)
        }
    }

    private func download(_ id: String, in environment: StoreEnvironment?) -> String? {
        transactions.values.first { $0.download == id }.flatMap { $0.belongs(to: environment) ? id : nil }
    }

    private func tokened(_ transaction: WireJSON) -> WireJSON {
        var transaction = transaction
        if let token = tokens[transaction.lineage] { transaction["appAccountToken"] = .text(token.description) }
        return transaction
    }
}

/// What the stand-in reads of a transaction or a renewal that it knows.
extension WireJSON {
    /// Empty for a member that is no text.
    subscript(text name: String) -> String {
        if case .text(let text)? = self[name] { text } else { "" }
    }

    subscript(number name: String) -> Int64? {
        if case .number(let number)? = self[name] { number } else { nil }
    }

    var lineage: String { self[text: "originalTransactionId"] }
    var signedDate: Int64 { self[number: "signedDate"] ?? 0 }
    fileprivate var download: String { self[text: "appTransactionId"] }
    fileprivate var rank: (Int64, String) { (self[number: "purchaseDate"] ?? 0, self[text: "transactionId"]) }

    fileprivate func belongs(to environment: StoreEnvironment?) -> Bool {
        environment.map { self[text: "environment"] == $0.rawValue } ?? true
    }

    fileprivate init(_ node: JSONNode) {
        self =
            switch node {
            case .null: .null
            case .boolean(let flag): .flag(flag)
            case .number(let digits):
                node.integer.map(WireJSON.number) ?? .decimal(Double(String(decoding: digits, as: UTF8.self)) ?? 0)
            case .string: .text(node.text ?? "")
            case .array(let items): .list(items.map { WireJSON($0) })
            case .object(let members):
                .object(members.map { Member(name: $0.name ?? "", value: WireJSON($0.value)) })
            }
    }
}

/// A webhook's body, decoded but not verified: the stand-in gets it from the signer itself.
struct DecodedNotification {
    struct Statement {
        var status: Int64
        var transaction: WireJSON
        var renewal: WireJSON?

        var signedDate: Int64 { max(transaction.signedDate, renewal?.signedDate ?? .min) }

        /// The statement as of `now`: a subscription that was not renewed in time has expired.
        func standing(at now: Instant) -> Statement {
            let end = status == 4 ? renewal?[number: "gracePeriodExpiresDate"] : transaction[number: "expiresDate"]
            guard status == 1 || status == 4, let end, end <= now.milliseconds else { return self }
            var ended = self
            ended.status = 2
            ended.renewal?["expirationIntent"] = .number(renewal?[number: "autoRenewStatus"] == 1 ? 2 : 1)
            ended.renewal?["autoRenewStatus"] = .number(0)
            ended.renewal?["gracePeriodExpiresDate"] = .none
            return ended
        }
    }

    let payload: String
    let id: String
    let signedDate: Int64
    let environment: String
    let statement: Statement?

    /// Returns nil if the body is not a notification.
    init?(_ body: [UInt8]) {
        guard let payload = JSONNode(body)?["signedPayload"]?.text, let outer = DecodedNotification.open(payload),
            let id = outer["notificationUUID"]?.text, let signedDate = outer["signedDate"]?.integer
        else { return nil }
        self.payload = payload
        self.id = id
        self.signedDate = signedDate
        let data = outer["data"]
        let place = data ?? outer["summary"] ?? outer["appData"]
        environment = place?["environment"]?.text ?? StoreEnvironment.sandbox.rawValue
        let transaction = data?["signedTransactionInfo"]?.text.flatMap { DecodedNotification.open($0) }
        let renewal = data?["signedRenewalInfo"]?.text.flatMap { DecodedNotification.open($0) }.map { WireJSON($0) }
        let status = data?["status"]?.integer ?? 1
        statement = transaction.map { Statement(status: status, transaction: WireJSON($0), renewal: renewal) }
    }

    /// An entry of the history, delivered once with this result.
    func record(_ result: String, at date: Int64) -> WireJSON {
        [
            "signedPayload": .text(payload),
            "sendAttempts": [["attemptDate": .number(date), "sendAttemptResult": .text(result)]],
        ]
    }

    private static func open(_ text: String) -> JSONNode? {
        let parts = text.split(separator: ".").map(String.init)
        guard parts.count == 3, let json = Base64URL.decode(parts[1]) else { return nil }
        return JSONNode(json)
    }
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

/// The app of a caller whose JSON Web Token has the form that Apple demands. Any key's signature will do.
func appleCaller(_ authorization: String?, now: Instant) -> String? {
    guard let authorization, authorization.hasPrefix("Bearer ") else { return nil }
    let parts = authorization.dropFirst("Bearer ".count).split(separator: ".").map(String.init)
    guard parts.count == 3, let head = Base64URL.decode(parts[0]).flatMap({ JSONNode($0) }),
        let claims = Base64URL.decode(parts[1]).flatMap({ JSONNode($0) }),
        head["alg"]?.text == "ES256", head["kid"]?.text?.isEmpty == false,
        claims["aud"]?.text == "appstoreconnect-v1", claims["iss"]?.text?.isEmpty == false,
        let app = claims["bid"]?.text, !app.isEmpty,
        let start = claims["iat"]?.integer, let end = claims["exp"]?.integer,
        start <= now.seconds + 60, end > now.seconds, end <= start + 3600
    else { return nil }
    return app
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
