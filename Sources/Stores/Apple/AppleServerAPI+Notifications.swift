public import Domain

extension AppleServerAPI {
    /// Get Notification History, one page. `token` is the last page's `next`, with the same query.
    public func notificationHistory(
        _ query: AppleNotificationQuery,
        after token: String? = nil,
        in environment: StoreEnvironment,
        now: Instant
    ) throws(StoreAPIError) -> AppleNotificationPage {
        let (bodies, hasMore, next) = try ask(.notifications(query, after: token), in: environment, now: now) {
            (answer) throws(VerificationError) -> ([[UInt8]], Bool?, String?) in
            var bodies: [[UInt8]] = []
            for record in try answer.parts("notificationHistory") {
                bodies.append(AppleBody.bytes(try record.statedString("signedPayload")))
            }
            return (bodies, try answer.boolean("hasMore"), try answer.string("paginationToken"))
        }
        guard hasMore == true else { return AppleNotificationPage(bodies: bodies, next: nil) }
        guard let next, next != token else {
            throw .unreadable(reason: "the history says that there is more, but names no next page")
        }
        return AppleNotificationPage(bodies: bodies, next: next)
    }

    /// Request a Test Notification; returns the token that `testStatus` takes.
    public func requestTest(in environment: StoreEnvironment, now: Instant) throws(StoreAPIError) -> String {
        try ask(.test, in: environment, now: now) { (answer) throws(VerificationError) in
            try answer.statedString("testNotificationToken")
        }
    }

    /// Get Test Notification Status.
    public func testStatus(
        _ token: String,
        in environment: StoreEnvironment,
        now: Instant
    ) throws(StoreAPIError) -> AppleTestStatus {
        let (payload, sent) = try ask(.testStatus(token), in: environment, now: now) {
            (answer) throws(VerificationError) -> (String, [StoreObject]) in
            (try answer.statedString("signedPayload"), try answer.parts("sendAttempts"))
        }
        let event = try proven(environment) { () throws(VerificationError) in
            try verifier.verify(body: AppleBody.bytes(payload), now: now)
        }
        let attempts = sent.prefix(100).map { attempt in
            AppleTestStatus.Attempt(
                at: try? attempt.appleDate("attemptDate"),
                result: attempt.text("sendAttemptResult", limit: 100) ?? "OTHER"
            )
        }
        return AppleTestStatus(event: event, attempts: attempts)
    }
}

extension AppleServerAPI {
    /// `read` throws when the answer lacks a documented member.
    func ask<Answer>(
        _ call: AppleCall,
        in environment: StoreEnvironment,
        now: Instant,
        read: (StoreObject) throws(VerificationError) -> Answer
    ) throws(StoreAPIError) -> Answer {
        let body = try line.send(call, for: app, in: environment, now: now)
        do throws(VerificationError) {
            return try read(try StoreObject(body))
        } catch {
            throw .unreadable(reason: "it does not have the documented members")
        }
    }

    /// Throws when a signed answer is not genuine.
    func proven(
        _ environment: StoreEnvironment?,
        verify: () throws(VerificationError) -> Event
    ) throws(StoreAPIError) -> Event {
        let event: Event
        do throws(VerificationError) { event = try verify() } catch { throw .unreadable(reason: error.message) }
        guard environment == nil || event.environment == environment else {
            throw .unreadable(reason: "it belongs to the other environment")
        }
        return event
    }

    /// If the environment is unknown, asks Production and then Sandbox: an app that is in review or not released yet is
    /// only known in Sandbox.
    func asking<Answer>(
        _ environment: StoreEnvironment?,
        ask: (StoreEnvironment) throws(StoreAPIError) -> Answer
    ) throws(StoreAPIError) -> Answer {
        if let environment { return try ask(environment) }
        guard line.serves(.production) else { return try ask(.sandbox) }
        let refusal: StoreAPIError
        do throws(StoreAPIError) { return try ask(.production) } catch { refusal = error }
        guard refusal.isUnknownTransaction || refusal.isUnauthorized, line.serves(.sandbox) else {
            throw refusal
        }
        do throws(StoreAPIError) {
            return try ask(.sandbox)
        } catch {
            throw error.isUnknownTransaction ? refusal : error
        }
    }
}

extension StoreAPIError {
    fileprivate var isUnauthorized: Bool {
        guard case .unauthorized = self else { return false }
        return true
    }
}
