import API
import APIModel
import Domain

/// What was posted for a user and refused: why pressing “Restore purchases” changed nothing.
struct RefusalTable {
    let visit: Visit

    /// Nothing if nothing was refused.
    func markup(_ refusals: [RefusalItem]) -> Markup {
        guard !refusals.isEmpty else { return .empty }
        let rows = refusals.map { refusal in
            visit["user.refusal"].render([
                "at": visit.time(refusal.at, as: ConsoleTime.seconds), "what": Self.what(refusal),
                "times": refusal.count > 1 ? "\(refusal.count) times" : "", "reason": refusal.reason,
                "message": refusal.message, "todo": Self.todo(refusal.reason), "owner": owner(refusal),
            ])
        }
        return visit["user.refusals"].render(["rows": rows.joined()])
    }

    /// For the first lines, if the user lacks access: the newest.
    func hint(_ record: UserAnswer) -> Markup {
        guard !record.active, let newest = record.refusals.first else { return .empty }
        return visit["user.refusal_hint"].render([
            "what": Self.what(newest), "at": visit.time(newest.at), "message": newest.message,
        ])
    }

    private static func what(_ refusal: RefusalItem) -> String {
        guard let provider = refusal.provider else { return "The name of the user’s stream" }
        let facts = [refusal.product, refusal.contract].compactMap { $0 }.joined(separator: ", ")
        return "A purchase at \(StoreWords.store(provider))" + (facts.isEmpty ? "" : ": \(facts)")
    }

    /// Whoever came by a link sees one user alone.
    private func owner(_ refusal: RefusalItem) -> Markup {
        guard let owner = refusal.owner else { return .empty }
        return visit.session.user == nil
            ? visit.templates.user(owner) : visit["parts.words"].render(["words": "another user"])
    }

    private static func todo(_ reason: String) -> String {
        switch reason {
        case "owned_by_other":
            "By PAYCAST_TRANSFERS it does not follow who restores it. Let the customer sign in as whoever has it."
        case "forged_stream_name":
            "Anybody can write such a name. If your own pages send it, another key signs them: compare PAYCAST_STREAM_KEYS "
                + "or SECRET_KEY_BASE."
        case "expired_stream_name": "Let the customer open the page or the app again."
        case "wrong_app": "Compare the settings of the store’s apps with the app that the customer has."
        case "wrong_environment":
            "A tester’s purchase on a server for real ones, or the other way round: no setting of the customer’s changes that."
        default: "If it comes from many users, show it to whoever runs the server."
        }
    }
}
