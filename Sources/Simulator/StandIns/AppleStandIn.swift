public import Domain
import Encoding
import HTTPClient
import Synchronization

/// The parts of the App Store Server API that Paycast uses, in the development server
/// (https://developer.apple.com/documentation/appstoreserverapi).
///
/// It knows what the simulated store said. `PUT /notifications/{id}` with the body of a webhook tells it, before the
/// webhook is posted; with `?lost=true`, instead of posting it. A subscription past its end is reported as expired
/// unless a renewal was put there. `/Production/inApps/…` and `/Sandbox/inApps/…` know one environment, `/inApps/…`
/// knows both. `GET /jobs` shows what Paycast told it. `/device/…` is what the App Store does for an app on a device.
public final class AppleStandIn: StandIn {
    let memory = Mutex(AppleStandInState())
    let signer: AppStoreSigner
    /// The app that devices buy in.
    let app: String
    private let now: @Sendable () -> Instant
    private let webhook: @Sendable () -> String?
    private let client = HTTPClient(timeout: .seconds(10))

    /// `webhook` returns the full address of the server's own Apple webhook once it is known.
    public init(
        signer: AppStoreSigner,
        app: String = SimulatedAppStore.bundleID,
        now: @escaping @Sendable () -> Instant,
        webhook: @escaping @Sendable () -> String?
    ) {
        self.signer = signer
        self.app = app
        self.now = now
        self.webhook = webhook
    }

    public func answer(_ request: StandInRequest) -> StandInAnswer? {
        let now = now()
        var path = request.path.split(separator: "/").map(String.init)
        switch (request.method, path.first, path.count) {
        case ("PUT", "notifications", 2): return remember(request)
        case ("GET", "jobs", 1): return .json(memory.withLock { $0.jobs })
        case (_, "device", 2): return device(request, question: path[1], now: now)
        default: break
        }
        let environment = path.first.flatMap { name in StoreEnvironment.ofStores.first { $0.rawValue == name } }
        if environment != nil { path.removeFirst() }
        guard path.count > 2, path.removeFirst() == "inApps" else { return nil }
        guard let app = appleCaller(request.authorization, now: now) else { return .unauthenticated }
        let version = path.removeFirst()
        let call = AppleStandInCall(request: request, path: path, app: app, environment: environment, now: now)
        switch (request.method, version, path[0], path.count) {
        case ("GET", "v1", "subscriptions", 2): return statuses(call)
        case ("GET", "v1", "transactions", 2): return transaction(call)
        case ("GET", "v2", "history", 2): return history(call)
        case ("GET", "v1", "lookup", 2): return lookup(call)
        case ("PUT", "v1", "transactions", 3) where path[2] == "appAccountToken": return setAccountToken(call)
        case ("POST", "v1", "transactions", 3) where path[2] == "finish": return finish(call)
        case ("PUT", "v2", "transactions", 3) where path[1] == "consumption": return consumption(call)
        case ("POST", "v1", "notifications", 2) where path[1] == "history": return notifications(call)
        case ("POST", "v1", "notifications", 2) where path[1] == "test": return test(call)
        case ("GET", "v1", "notifications", 3) where path[1] == "test": return testStatus(call)
        default: return nil
        }
    }

    private func remember(_ request: StandInRequest) -> StandInAnswer {
        guard let notification = DecodedNotification(request.body) else {
            return .refusal(400, code: 4_000_000, message: "Put a webhook's body here.")
        }
        let isLost = request.query("lost") == "true"
        memory.withLock { $0.remember(notification, isLost: isLost) }
        return .json([:])
    }
}

extension AppleStandIn {
    private func statuses(_ call: AppleStandInCall) -> StandInAnswer {
        let found = memory.withLock { $0.subscriptions(behind: call.path[1], in: call.environment) }
        guard let known = memory.withLock({ $0.transactions(behind: call.path[1], in: call.environment) }).first else {
            return .unknownTransaction
        }
        let items = found.map { known -> (group: String, item: WireJSON) in
            let known = known.standing(at: call.now)
            let item: WireJSON = [
                "originalTransactionId": .text(known.transaction.lineage), "status": .number(known.status),
                "signedTransactionInfo": .text(sign(known.transaction, at: call.now)),
                "signedRenewalInfo": known.renewal.map { .text(sign($0, at: call.now)) },
            ]
            return (known.transaction[text: "subscriptionGroupIdentifier"], item)
        }
        let groups = Dictionary(grouping: items, by: \.group).sorted { $0.key < $1.key }.map { group -> WireJSON in
            ["subscriptionGroupIdentifier": .text(group.key), "lastTransactions": .list(group.value.map(\.item))]
        }
        return .json([
            "environment": .text(known[text: "environment"]), "bundleId": .text(known[text: "bundleId"]),
            "data": .list(groups),
        ])
    }

    private func transaction(_ call: AppleStandInCall) -> StandInAnswer {
        let found = memory.withLock { $0.transaction(call.path[1], in: call.environment) }
        return found.map { .json(["signedTransactionInfo": .text(sign($0, at: call.now))]) } ?? .unknownTransaction
    }

    /// Only Production answers. For text that is no order ID, it answers with status 1 instead of an error
    /// (https://developer.apple.com/documentation/appstoreserverapi/orderlookupresponse).
    private func lookup(_ call: AppleStandInCall) -> StandInAnswer {
        guard call.environment != .sandbox else { return .unauthenticated }
        let found = memory.withLock { $0.transactions(ofOrder: call.path[1], app: call.app) }
        guard !found.isEmpty else { return .json(["status": 1]) }
        return .json(["status": 0, "signedTransactions": .list(found.map { .text(sign($0, at: call.now)) })])
    }

    private func history(_ call: AppleStandInCall) -> StandInAnswer {
        let found = memory.withLock { $0.transactions(behind: call.path[1], in: call.environment) }
        guard !found.isEmpty else { return .unknownTransaction }
        guard let page = StandInPage(found, after: call.request.query("revision"), of: "history") else {
            return .refusal(400, code: 4_000_005, message: "Invalid request revision.")
        }
        return .json([
            "signedTransactions": .list(page.items.map { .text(sign($0, at: call.now)) }),
            "hasMore": .flag(page.hasMore), "revision": .text(page.next),
        ])
    }

    private func setAccountToken(_ call: AppleStandInCall) -> StandInAnswer {
        guard let token = JSONNode(call.request.body)?["appAccountToken"]?.text.flatMap({ OrderToken($0) }) else {
            return .refusal(400, code: 4_000_183, message: "Invalid appAccountToken.")
        }
        guard let known = memory.withLock({ $0.transaction(call.path[1], in: call.environment) }) else {
            return .unknownTransaction
        }
        guard known.lineage == call.path[1] else {
            return .refusal(400, code: 4_000_187, message: "Not an original transaction id.")
        }
        guard known[text: "inAppOwnershipType"] != "FAMILY_SHARED" else {
            return .refusal(400, code: 4_000_185, message: "Family-shared transactions are not supported.")
        }
        memory.withLock { $0.tokens[known.lineage] = token }
        return .json([:])
    }

    private func finish(_ call: AppleStandInCall) -> StandInAnswer {
        let isKnown = memory.withLock { memory in
            guard memory.transaction(call.path[1], in: call.environment) != nil else { return false }
            memory.finished.insert(call.path[1])
            return true
        }
        return isKnown ? .json([:]) : .unknownTransaction
    }

    /// Takes one answer for each transaction, with the customer's consent only.
    private func consumption(_ call: AppleStandInCall) -> StandInAnswer {
        let said = JSONNode(call.request.body)
        guard said?["customerConsented"]?.boolean == true else {
            return .refusal(400, code: 4_000_035, message: "Invalid request. The customer consented field is invalid.")
        }
        let isDelivered = said?["deliveryStatus"]?.text == "DELIVERED"
        let used = said?["consumptionPercentage"]?.integer ?? 0
        guard said?["deliveryStatus"]?.text != nil, isDelivered || used == 0 else {
            return .refusal(400, code: 4_000_036, message: "Invalid request. The delivery status field is invalid.")
        }
        guard said?["sampleContentProvided"]?.boolean != nil else {
            return .refusal(400, code: 4_000_041, message: "Invalid request. The sample content field is invalid.")
        }
        let isKnown = memory.withLock { memory in
            guard memory.transaction(call.path[2], in: call.environment) != nil else { return false }
            memory.consumption[call.path[2], default: []].append(String(decoding: call.request.body, as: UTF8.self))
            return true
        }
        return isKnown ? StandInAnswer(status: 202, body: []) : .unknownTransaction
    }

    /// Signs the document anew for every answer, as Apple does.
    func sign(_ document: WireJSON, at now: Instant) -> String {
        var document = document
        document["signedDate"] = .number(now.milliseconds)
        return (try? signer.sign(document.bytes)) ?? ""
    }
}

extension AppleStandIn {
    private func notifications(_ call: AppleStandInCall) -> StandInAnswer {
        let asked = JSONNode(call.request.body)
        guard let start = asked?["startDate"]?.integer, let end = asked?["endDate"]?.integer else {
            return .refusal(400, code: 4_000_015, message: "Invalid start date.")
        }
        guard start <= end else { return .refusal(400, code: 4_000_013, message: "Start date after end date.") }
        let reach = call.environment == .sandbox ? 30 : 180
        guard start >= (call.now - .days(reach)).milliseconds else {
            return .refusal(400, code: 4_000_012, message: "Start date too far in past.")
        }
        let onlyFailures = asked?["onlyFailures"]?.boolean ?? false
        let found = memory.withLock {
            $0.notifications(in: start...end, onlyFailures: onlyFailures, environment: call.environment)
        }
        let token = call.request.query("paginationToken")
        let query = "\(start)/\(end)/\(onlyFailures)"
        guard let page = StandInPage(found, after: token, of: query) else {
            return .refusal(400, code: 4_000_014, message: "Invalid pagination token.")
        }
        return .json([
            "notificationHistory": .list(page.items), "hasMore": .flag(page.hasMore),
            "paginationToken": .text(page.next),
        ])
    }

    /// Posts a real notification to the server's own webhook, and waits for the answer.
    private func test(_ call: AppleStandInCall) -> StandInAnswer {
        let event = SimulatedEvent(
            type: "TEST",
            facts: SimulatedSubscription(product: SimulatedProduct.monthly.id, lineage: "0"),
            app: call.app,
            environment: call.environment ?? .sandbox,
            now: call.now
        )
        guard let address = webhook(), let body = try? SimulatedAppStore(signer: signer).body(event),
            let posted = DecodedNotification(body)
        else {
            return .refusal(404, code: 4_040_007, message: "No App Store Server Notification URL found for this app.")
        }
        let headers = [("Content-Type", "application/json")]
        let response = try? client.send("POST", to: address, headers: headers, body: body)
        let result =
            switch response?.status {
            case nil: "NO_RESPONSE"
            case .some(200..<207): "SUCCESS"
            default: "UNSUCCESSFUL_HTTP_RESPONSE_CODE"
            }
        let token = "\(posted.id)_\(call.now.milliseconds)"
        memory.withLock { $0.tests[token] = posted.record(result, at: call.now.milliseconds) }
        return .json(["testNotificationToken": .text(token)])
    }

    private func testStatus(_ call: AppleStandInCall) -> StandInAnswer {
        let found = memory.withLock { $0.tests[call.path[2]] }
        return found.map { .json($0) } ?? .refusal(404, code: 4_040_008, message: "Test notification not found.")
    }
}

/// One incoming call, with its time.
private struct AppleStandInCall {
    let request: StandInRequest
    let path: [String]
    let app: String
    let environment: StoreEnvironment?
    let now: Instant
}
