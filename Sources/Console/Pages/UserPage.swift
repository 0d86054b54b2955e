internal import APIModel
internal import Domain
internal import Pages

/// `/console/users/{user}`: what a user holds, and why.
struct UserPage: ConsolePage {
    let user: UserID

    func show(_ visit: Visit) throws(ConsoleError) -> Response {
        let record = try visit.api.get(UserAnswer.self, from: .user(user))
        let events = try visit.api.get(UserEventsAnswer.self, from: .userEvents(user: user))
        let body = visit.render(
            "user",
            [
                "user": .text(user.text), "state": .text(record.active ? "Active" : "Not active"),
                "contracts": .markup(record.contracts.map { contract($0, visit) }.joined()),
                "events": .markup(events.events.map { event($0, visit) }.joined()),
            ]
        )
        return visit.page("User \(InertText.of(user.text))", body)
    }

    private func contract(_ item: ContractItem, _ visit: Visit) -> Markup {
        visit.render(
            "user.contract",
            [
                "product": .text(item.entitlement.product), "state": .text(item.entitlement.state),
                "provider": .text(item.entitlement.provider),
                "until": .markup(visit.time(item.entitlement.accessUntil)),
            ]
        )
    }

    private func event(_ item: FeedItem, _ visit: Visit) -> Markup {
        visit.render(
            "user.event",
            [
                "at": .markup(visit.time(item.at)), "type": .text(item.type ?? item.kind),
                "outcome": .text(item.outcome ?? ""), "reason": .text(item.reason ?? ""),
            ]
        )
    }
}
