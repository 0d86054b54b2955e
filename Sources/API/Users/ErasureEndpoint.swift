internal import APIModel
internal import Domain
internal import HTTP
internal import Ledger
internal import Pages
internal import Support

/// `DELETE /users/{user}[?reason=TEXT]`: erases a user, so that no later statement of a store brings the user back.
struct ErasureEndpoint {
    private let services: Services

    init(_ services: Services) {
        self.services = services
    }

    func answer(_ user: UserID, request: Request) -> Answer {
        guard isValidIdentifier(user.text) else { return .respond(UsersEndpoint.invalidUser) }
        let reason = request.query["reason"]
        if let reason, !isValidIdentifier(reason) { return .respond(ErasureEndpoint.invalidReason) }
        if let reason, names(reason, user) { return .respond(ErasureEndpoint.namingReason) }
        return .later { [services] reply in
            services.blockingPools.submit(.operators) {
                reply.send(ErasureEndpoint.erase(user, reason: reason, services: services))
            } orElse: {
                reply.send(.busy)
            }
        }
    }

    /// Runs step by step, so that everybody else's commands get their turn in between.
    private static func erase(_ user: UserID, reason: String?, services: Services) -> Response {
        var done = ErasureStep()
        while true {
            let answer = Promise<Result<ErasureStep, LedgerError>>()
            guard services.writer.submit(.erase(user) { answer.fulfil($0) }) else { return .busy }
            guard case .success(let step) = answer.wait() else { return .unerased }
            done.add(step)
            guard let cursor = step.cursor else { continue }
            // The log names nobody.
            services.log.info(
                "user erased",
                fields: [
                    "reason": reason ?? "-", "contracts": done.contracts, "orders": done.orders, "events": done.events,
                ]
            )
            let body = ErasureAnswer(
                contracts: done.contracts,
                orders: done.orders,
                events: done.events,
                fragments: done.fragments,
                since: cursor
            )
            return JSON.response(200, body: body)
        }
    }

    /// The log names nobody, so the id may not stand in the reason: as a word, since `1` is also a part of `1 May 2021`.
    private func names(_ reason: String, _ user: UserID) -> Bool {
        let id = Array(user.text.utf8)
        let text = Array(reason.utf8)
        guard text.count >= id.count else { return false }
        func isWord(at index: Int) -> Bool { text.indices.contains(index) && isWordByte(text[index]) }
        return (0...text.count - id.count).contains { start in
            text[start...].starts(with: id) && !isWord(at: start - 1) && !isWord(at: start + id.count)
        }
    }

    private func isWordByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"), 0x80...:
            true
        default: false
        }
    }

    private static let namingReason = Response.error(
        400,
        code: "invalid_reason",
        message: "The reason goes to the log, which names nobody: leave the user's id out."
    )

    private static let invalidReason = Response.error(
        400,
        code: "invalid_reason",
        message: "A reason must have 1 to 255 bytes and no control characters."
    )
}

extension Response {
    fileprivate static var unerased: Response {
        .unavailable("ledger_unavailable", message: "The ledger could not erase everything; send the request again.")
    }
}
