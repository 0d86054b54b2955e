public import Domain

extension AppleServerAPI {
    /// Get Notification History, one page. `token` is the last page's `next`, with the same query.
    public func notificationHistory(
        _ query: AppleNotificationQuery,
        after token: String? = nil,
        in environment: StoreEnvironment,
        now: Instant
    ) throws(StoreAPIError) -> AppleNotificationPage {
        let answer = try ask(
            AppleHistoryAnswer.self,
            call: .notifications(query, after: token),
            in: environment,
            now: now
        )
        let bodies = (answer.notificationHistory ?? []).map { AppleJSON.encode(["signedPayload": $0.signedPayload]) }
        guard answer.hasMore == true else { return AppleNotificationPage(bodies: bodies, next: nil) }
        guard let next = answer.paginationToken, next != token else {
            throw .unreadable(reason: "the history says that there is more, but names no next page")
        }
        return AppleNotificationPage(bodies: bodies, next: next)
    }

    /// Request a Test Notification; returns the token that `testStatus` takes.
    public func requestTest(in environment: StoreEnvironment, now: Instant) throws(StoreAPIError) -> String {
        try ask(AppleTestAnswer.self, call: .test, in: environment, now: now).testNotificationToken
    }

    /// Get Test Notification Status.
    public func testStatus(
        _ token: String,
        in environment: StoreEnvironment,
        now: Instant
    ) throws(StoreAPIError) -> AppleTestStatus {
        let answer = try ask(AppleTestStatusAnswer.self, call: .testStatus(token), in: environment, now: now)
        let event = try proven(environment) { () throws(VerificationError) in
            try verifier.verify(body: AppleJSON.encode(["signedPayload": answer.signedPayload]), now: now)
        }
        let attempts = (answer.sendAttempts ?? []).prefix(100).map { attempt in
            AppleTestStatus.Attempt(
                at: attempt.attemptDate.flatMap { Int64(exactly: $0.rounded()) }.map { Instant(milliseconds: $0) },
                result: attempt.sendAttemptResult.flatMap { isValidIdentifier($0, limit: 100) ? $0 : nil } ?? "OTHER"
            )
        }
        return AppleTestStatus(event: event, attempts: Array(attempts))
    }
}

extension AppleServerAPI {
    func ask<Answer: Decodable>(
        _ type: Answer.Type,
        call: AppleCall,
        in environment: StoreEnvironment,
        now: Instant
    ) throws(StoreAPIError) -> Answer {
        let body = try line.send(call, for: app, in: environment, now: now)
        guard let answer = JSONBody.decode(type, from: body) else {
            throw .unreadable(reason: "it does not have the documented members")
        }
        return answer
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
