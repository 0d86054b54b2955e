import API
import APIModel
import Domain
import Pages

/// Sends the user's open pages what they should show.
struct SendStateAction: UserAction {
    let right = Right.act
    let title = "Send the pages their state again"
    let explanation =
        "Every open page of the user gets both of its elements again. It changes nothing else, and does no harm twice."
    let button = "Send it again"

    func perform(_ values: ActionValues, _ visit: Visit, user: UserID) throws(ConsoleError) -> Markup? {
        let request = ReplayRequest(mode: .broadcast, user: user, reason: values.reason)
        let answer = try visit.api.post(ReplayAnswer.self, to: .replays, body: request)
        guard answer.told.contains(user) else {
            throw .conflict(
                "There is nothing to send: no event of a store is known for this user, so the pages show your offers."
            )
        }
        return nil
    }
}

/// Sends the backend a message once more.
struct ResendAction: UserAction {
    let right = Right.act
    let title = "Send a message to the backend again"
    let explanation = "Your backend gets the message with its old id, and with what the user has now."
    let button = "Send it again"

    func fields(_ values: ActionValues, _ visit: Visit, user: UserID) throws(ConsoleError) -> Markup {
        visit["action.resend"].render(["delivery": Field(values["delivery"]), "shown": values["delivery"]])
    }

    func perform(_ values: ActionValues, _ visit: Visit, user: UserID) throws(ConsoleError) -> Markup? {
        let route = Route.hookResend(delivery: values["delivery"])
        _ = try visit.api.post(HookResendAnswer.self, to: route, query: [("reason", values.reason)])
        return nil
    }
}

/// Says what a replay of the user's events would change.
struct DryRunAction: UserAction {
    let right = Right.act
    let isSlow = true
    let title = "Try a replay"
    let explanation =
        "Every stored event of the user is verified and applied once more, and nothing is kept: you see what a replay would change. "
        + "After an update of Paycast, or of the catalog, that may be something. paycast replay does it for good."
    let button = "Try it"

    func perform(_ values: ActionValues, _ visit: Visit, user: UserID) throws(ConsoleError) -> Markup? {
        let request = ReplayRequest(mode: .dryRun, user: user, reason: values.reason)
        let answer = try visit.api.post(ReplayAnswer.self, to: .replays, body: request)
        let changes = answer.changes.map { change in
            visit["action.change"].render([
                "contract": change.contract, "before": change.before.map(StoreWords.state) ?? "unknown",
                "after": change.after.map(StoreWords.state) ?? "unknown", "until": visit.time(change.accessUntil),
            ])
        }
        return visit["action.tried"].render([
            "read": StoreWords.count(answer.read, "stored event was", "stored events were"),
            "skipped": String(answer.skipped.count),
            "more": answer.next == nil ? "" : "These are the oldest 100; paycast replay reads them all.",
            "changes": changes.isEmpty
                ? visit["action.no_change"].render()
                : visit["action.changes"].render(["rows": changes.joined()]),
        ])
    }
}

/// Asks a store for what it has sent, in case something did not arrive.
struct RecoverAction: UserAction {
    let right = Right.act
    let isSlow = true
    let title = "Ask the store again"
    let explanation =
        "Paycast fetches what the store has sent in this time and commits what is missing, for all users of the app. It needs a key of "
        + "the store's API."
    let button = "Ask it"

    private static let stores = ["apple", "google", "stripe", "revenuecat"]
    private static let spans = [("1", "of the last day"), ("3", "of the last 3 days"), ("30", "of the last 30 days")]

    func fields(_ values: ActionValues, _ visit: Visit, user: UserID) throws(ConsoleError) -> Markup {
        let record = try visit.api.get(UserAnswer.self, from: .user(user))
        let own = record.contracts.first { RecoverAction.stores.contains($0.entitlement.provider) }?.entitlement
            .provider
        let stores = RecoverAction.stores.map { (value: $0, title: StoreWords.store($0)) }
        let chosen = values["provider"].isEmpty ? own ?? "" : values["provider"]
        return visit["action.recover"].render([
            "stores": visit.options(stores, chosen: chosen),
            "spans": visit.options(RecoverAction.spans, chosen: values["days"]),
        ])
    }

    func perform(_ values: ActionValues, _ visit: Visit, user: UserID) throws(ConsoleError) -> Markup? {
        // The API is asked about a store and does not know whose page this is.
        guard !Act.names(user, in: values.reason) else { throw .invalid(Act.namingReason) }
        let days = Int64(values["days"]) ?? 1
        let since = visit.now - .seconds(min(max(days, 1), 30) * 86_400)
        let request = RecoveryRequest(provider: values["provider"], since: since.iso8601, reason: values.reason)
        let answer: RecoveryAnswer
        do throws(ConsoleError) {
            answer = try visit.api.post(to: .recoveries, body: request)
        } catch {
            // No key of this store: an answer about the settings, and no trouble of the server.
            guard case .unavailable(let message) = error else { throw error }
            throw .conflict(message)
        }
        return visit["action.recovered"].render([
            "store": StoreWords.store(answer.provider), "found": StoreWords.count(answer.found, "message", "messages"),
            "recovered": String(answer.recovered), "refused": String(answer.refused),
            "problems": answer.problems.joined(separator: " "),
        ])
    }
}
