import API
import APIModel
import Domain
import Pages
import Support

extension UserAction {
    /// Sends the user's open pages what they should show.
    static let sendState = UserAction(
        word: "send-state",
        title: "Send the pages their state again",
        explanation:
            "Every open page of the user gets both of its elements again. It changes nothing else, and does no harm twice.",
        button: "Send it again",
        done: "The open pages have been sent their state again."
    ) { form throws(ConsoleError) in
        let request = ReplayRequest(mode: .broadcast, user: form.user, reason: form.reason)
        let answer = try form.visit.api.post(ReplayAnswer.self, to: .replays, body: request)
        guard answer.told.contains(form.user) else {
            throw .conflict(
                "There is nothing to send: no event of a store is known for this user, so the pages show your offers."
            )
        }
        return nil
    }

    /// Sends the backend a message once more.
    static let resend = UserAction(
        word: "resend",
        title: "Send a message to the backend again",
        explanation: "Your backend gets the message with its old id, and with what the user has now.",
        button: "Send it again",
        isOfRow: true,
        done: "The message goes to your backend again, as soon as this server sends."
    ) { form in
        form.visit["action.resend"].render(["delivery": Field(form["delivery"]), "shown": form["delivery"]])
    } perform: { form throws(ConsoleError) in
        let route = Route.hookResend(delivery: form["delivery"])
        _ = try form.visit.api.post(HookResendAnswer.self, to: route, query: [("reason", form.reason)])
        return nil
    }

    /// Says what a replay of the user's events would change.
    static let dryRun = UserAction(
        word: "dry-run",
        title: "Try a replay",
        explanation:
            "Every stored event of the user is verified and applied once more, and nothing is kept: you see what a replay would change. "
            + "After an update of Paycast, or of the catalog, that may be something. paycast replay does it for good.",
        button: "Try it",
        isSlow: true
    ) { form throws(ConsoleError) in
        let visit = form.visit
        let request = ReplayRequest(mode: .dryRun, user: form.user, reason: form.reason)
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

    /// Asks a store for what it has sent, in case something did not arrive.
    static let recover = UserAction(
        word: "recover",
        title: "Ask the store again",
        explanation:
            "Paycast fetches what the store has sent in this time and commits what is missing, for all users of the app. It needs a key of "
            + "the store's API.",
        button: "Ask it",
        isSlow: true
    ) { form throws(ConsoleError) in
        let names = ["apple", "google", "stripe", "revenuecat"]
        let record = try form.visit.api.get(UserAnswer.self, from: .user(form.user))
        let own = record.contracts.map(\.summary.provider).first(where: names.contains)
        let chosen = form["provider"].isEmpty ? own ?? "" : form["provider"]
        let spans = [("1", "of the last day"), ("3", "of the last 3 days"), ("30", "of the last 30 days")]
        return form.visit["action.recover"].render([
            "stores": form.visit.options(names.map { ($0, StoreWords.store($0)) }, chosen: chosen),
            "spans": form.visit.options(spans, chosen: form["days"]),
        ])
    } perform: { form throws(ConsoleError) in
        // The API is asked about a store and does not know whose page this is.
        guard !Act.names(form.user, in: form.reason) else { throw .invalid(Act.namingReason) }
        let days = Int64(form["days"]) ?? 1
        let since = form.visit.now - .seconds(min(max(days, 1), 30) * 86_400)
        let request = RecoveryRequest(provider: form["provider"], since: since.iso8601, reason: form.reason)
        let answer: RecoveryAnswer
        do throws(ConsoleError) {
            answer = try ended(form.visit.api.post(to: .recoveries, body: request), form.visit.api)
        } catch {
            // No key of this store: an answer about the settings, and no trouble of the server.
            guard case .unavailable(let message) = error else { throw error }
            throw .conflict(message)
        }
        return form.visit["action.recovered"].render([
            "store": StoreWords.store(answer.provider), "found": StoreWords.count(answer.found, "message", "messages"),
            "recovered": String(answer.recovered), "refused": String(answer.refused),
            "problems": (answer.state == .running ? ["It goes on by itself."] : answer.problems).joined(separator: " "),
        ])
    }

    /// The recovery once it has ended, or as far as it has come while somebody looks at an empty page.
    private static func ended(
        _ begun: RecoveryAnswer,
        _ api: ConsoleAPI
    ) throws(ConsoleError) -> RecoveryAnswer {
        let end = ContinuousClock.now + .seconds(20)
        var answer = begun
        while answer.state == .running, ContinuousClock.now < end {
            Waker().wait(timeout: .milliseconds(100))
            answer = try api.get(from: .recovery(id: begun.id))
        }
        guard answer.state == .failed else { return answer }
        throw .unavailable(answer.problems.joined(separator: " "))
    }
}
