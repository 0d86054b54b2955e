import APIModel
import Domain

/// The states of one contract in time, as far as events and its own facts tell.
struct ContractHistory {
    struct Span: Equatable {
        let state: String
        let start: Instant
        let end: Instant
    }

    struct Moment: Equatable {
        let kind: TimeLine.Mark.Kind
        let at: Instant
        let title: String
    }

    let name: String
    let spans: [Span]
    let marks: [Moment]

    var start: Instant { spans.first?.start ?? marks.first?.at ?? Instant(milliseconds: 0) }
    var end: Instant { max(spans.last?.end ?? start, marks.last?.at ?? start) }

    init(_ contract: ContractItem, events: [FeedItem], now: Instant) {
        let item = contract.entitlement
        let store = item.provider == Provider.paycast.rawValue ? "granted" : StoreWords.store(item.provider)
        name = "\(item.product), \(store)" + (item.environment == "Production" ? "" : ", \(item.environment)")
        let told = events.filter { $0.hasTold(item) }
            .compactMap { event in event.date.map { (at: $0, event: event) } }.sorted { $0.at < $1.at }
        let until = item.accessUntil?.instant
        spans = ContractHistory.spans(contract, told: told, until: until, now: now)
        marks = ContractHistory.marks(contract, told: told, until: until)
    }

    /// Each state lasts until the next one. The last one lasts until now, or until the end that the store has said.
    private static func spans(
        _ contract: ContractItem,
        told: [(at: Instant, event: FeedItem)],
        until: Instant?,
        now: Instant
    ) -> [Span] {
        var changes: [(at: Instant, state: String)] = []
        if let bought = contract.details.purchasedAt?.instant, told.first.map({ bought < $0.at }) ?? true {
            let state = told.first.flatMap { $0.event.previousState ?? $0.event.state }
            changes.append((bought, state ?? contract.entitlement.state))
        }
        for (at, event) in told {
            guard let state = event.state, state != changes.last?.state else { continue }
            changes.append((at, state))
        }
        let state = contract.entitlement.state
        let hasEnded = ContractState(rawValue: state)?.givesAccess != true
        if changes.last?.state != state {
            // It ended by itself: nobody has said so.
            changes.append((hasEnded ? until ?? now : now, state))
        }
        var spans: [Span] = []
        for (number, change) in changes.enumerated() {
            let end = number + 1 < changes.count ? changes[number + 1].at : now
            if end > change.at { spans.append(Span(state: change.state, start: change.at, end: end)) }
        }
        if !hasEnded, let until, until > now { spans.append(Span(state: state, start: now, end: until)) }
        return spans
    }

    private static func marks(
        _ contract: ContractItem,
        told: [(at: Instant, event: FeedItem)],
        until: Instant?
    ) -> [Moment] {
        var marks = told.compactMap { at, event in
            EventNames.mark(event.kind).map { Moment(kind: $0, at: at, title: EventNames.title(event.kind)) }
        }
        let details = contract.details
        if let bought = details.purchasedAt?.instant, marks.isEmpty {
            let title = details.kind == ProductKind.subscription.rawValue ? "Charged" : "Bought"
            marks.append(Moment(kind: .charge, at: bought, title: title))
        }
        if let revoked = details.revokedAt?.instant,
            !marks.contains(where: { $0.kind == .refund })
        {
            marks.append(Moment(kind: .refund, at: revoked, title: "Taken back"))
        }
        if let until { marks.append(Moment(kind: .end, at: until, title: "End of access")) }
        return marks.sorted { $0.at < $1.at }
    }
}
