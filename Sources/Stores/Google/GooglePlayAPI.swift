internal import Crypto
public import Domain
internal import Encoding
public import HTTPClient
public import StoreInterface

/// Google's Android Publisher API (https://developers.google.com/android-publisher): reads purchases, acknowledges them.
/// Purchase tokens are in its addresses, so that no error names one. Calls block.
public struct GooglePlayAPI: StoreAPI {
    /// Google's own address.
    public static let address = "https://androidpublisher.googleapis.com"

    private let access: GoogleAccess
    let catalog: Catalog
    private let client: HTTPClient
    private let address: @Sendable () -> String?
    private let readings: GoogleReadings
    private let witness: StoreWitness
    private let repetitions = GoogleRepetitions()

    /// `credentials` and `address` are asked when they are needed: a stand-in's are not known before its server listens.
    /// `clock` dates what is read.
    public init(
        catalog: Catalog = Catalog(),
        client: HTTPClient = HTTPClient(timeout: .seconds(8)),
        witness: @escaping StoreWitness = { _ in },
        clock: @escaping @Sendable () -> Instant,
        credentials: @escaping @Sendable () -> GoogleCredentials?,
        address: @escaping @Sendable () -> String?
    ) {
        access = GoogleAccess(credentials, client)
        readings = GoogleReadings(clock: clock)
        self.catalog = catalog
        self.client = client
        self.witness = witness
        self.address = address
    }

    /// What a notification is about, read now. Tokens end 60 days after the subscription does, and those of others are
    /// no better than unknown ones.
    func read(
        _ subject: GoogleNotification.Subject,
        of package: String
    ) throws(StoreAPIError) -> (reading: GoogleReading, said: StoredReading.Said?) {
        guard let question = GoogleQuestion(subject, package: package) else { return (.nothing, nil) }
        guard let said = try ask(question) else { return (.unknown, nil) }
        return (try meaning(of: said, to: question), said)
    }

    /// What an answer of an earlier time means by the catalogue of now.
    func interpret(
        _ said: StoredReading.Said,
        of subject: GoogleNotification.Subject,
        of package: String
    ) throws(StoreAPIError) -> GoogleReading {
        guard let question = GoogleQuestion(subject, package: package) else { return .nothing }
        return try meaning(of: said, to: question)
    }

    /// Google's answer about a purchase, nil for one that it does not know. Dated by the first of those that were the same.
    func said(
        of subject: GoogleNotification.Subject,
        of package: String
    ) throws(StoreAPIError) -> StoredReading.Said? {
        guard let question = GoogleQuestion(subject, package: package), var said = try ask(question) else {
            return nil
        }
        said.readAt = repetitions.firstReading(of: question, said)
        return said
    }

    public func statement(of contract: ContractKey, now: Instant) throws(StoreAPIError) -> Event? {
        let contract = contract.purchase ?? contract
        let subject = GoogleNotification.Subject.subscription(token: contract.lineage)
        guard let question = GoogleQuestion(subject, package: contract.app), let said = try ask(question) else {
            return nil
        }
        let purchase = try question.purchase(said.answer, catalog: catalog, readAt: said.readAt)
        let token = Hex.encode(SHA256.hash(Array(contract.lineage.utf8)).prefix(16))
        let id = "statement:\(said.readAt.milliseconds):\(token)"
        let record = StoredReading(.subscription(token: contract.lineage), said)
        return purchase.statement(body: record?.bytes ?? said.answer, id: id)
    }

    private func ask(_ question: GoogleQuestion) throws(StoreAPIError) -> StoredReading.Said? {
        try readings.one(of: question.token) { readAt throws(StoreAPIError) in
            guard let body = try call("GET", question.path, of: question.package, now: readAt) else { return nil }
            let said = StoredReading.Said(answer: body, readAt: readAt)
            _ = repetitions.firstReading(of: question, said)
            return said
        }
    }

    private func meaning(
        of said: StoredReading.Said,
        to question: GoogleQuestion
    ) throws(StoreAPIError) -> GoogleReading {
        do throws(StoreAPIError) {
            return .purchase(try question.purchase(said.answer, catalog: catalog, readAt: said.readAt))
        } catch .unreadable(reason: GoogleQuestion.noPurchase) {
            return .unreadable
        }
    }

    public func perform(_ errand: Errand, now: Instant) throws(StoreAPIError) {
        let detail = (errand.detail ?? "").split(separator: "/", maxSplits: 1)
        let verb: String
        switch errand.kind {
        case .acknowledge: verb = "acknowledge"
        case .consume: verb = "consume"
        default:
            throw .refused(status: 0, code: nil, reason: "Google takes no errand of this kind: \(errand.kind.rawValue)")
        }
        guard detail.count == 2 else { throw .refused(status: 0, code: nil, reason: "the errand names no product") }
        let path =
            "purchases/\(detail[0])/\(PercentEncoding.encode(String(detail[1])))/tokens/\(PercentEncoding.encode(errand.subject)):\(verb)"
        do throws(StoreAPIError) {
            guard try call("POST", path, of: errand.app, body: Array("{}".utf8), now: now) != nil else {
                throw .refused(status: 404, code: nil, reason: "Google does not know this purchase, or no longer does")
            }
        } catch .refused(status: 400, code: "alreadyAcknowledged", _) {
            // Somebody else, the app perhaps, was faster.
            return
        }
    }

    /// Nil for what Google does not know, or no more.
    private func call(
        _ method: String,
        _ path: String,
        of package: String,
        body: [UInt8]? = nil,
        now: Instant
    ) throws(StoreAPIError) -> [UInt8]? {
        try witnessed(by: witness) { () throws(StoreAPIError) in
            try exchange(method, path, of: package, body: body, now: now)
        }
    }

    func exchange(
        _ method: String,
        _ path: String,
        of package: String,
        body: [UInt8]? = nil,
        now: Instant
    ) throws(StoreAPIError) -> [UInt8]? {
        guard let address = address() else { throw .unavailable(reason: "its address is not known yet") }
        let bearer = try access.bearer(now: now)
        let type = body == nil ? [] : [("Content-Type", "application/json")]
        let response: HTTPClient.Response
        do throws(HTTPClientError) {
            response = try client.send(
                method,
                "\(address)/androidpublisher/v3/applications/\(PercentEncoding.encode(package))/\(path)",
                headers: [("Authorization", bearer)] + type,
                body: body
            )
        } catch {
            throw .unavailable(reason: error.description)
        }
        if response.status == 401 { access.forget(bearer) }
        return try GoogleAnswer(response).result()
    }
}
