import API
import APIModel
import Domain

/// The states of one contract in time, as far as events and its own facts tell.
struct ContractHistory {
    /// A state of a product, from one instant to the next.
    struct Span: Equatable {
        let state: String
        let product: String
        let start: Instant
        let end: Instant
    }

    struct Moment: Equatable {
        enum Kind: String, Sendable {
            case charge, grant, refund, failure, end, move
        }

        let kind: Kind
        let at: Instant
        let title: String
        /// What was charged, or given back; nil if nobody has said it.
        var amount: String?
    }

    let name: String
    let spans: [Span]
    let marks: [Moment]

    var start: Instant { spans.first?.start ?? marks.first?.at ?? Instant(milliseconds: 0) }
    var end: Instant { max(spans.last?.end ?? start, marks.last?.at ?? start) }

    /// `amounts` are those of events, by their cursors.
    init(_ contract: ContractDetail, events: [FeedItem], amounts: [String: String] = [:], now: Instant) {
        let item = contract.summary
        let store = item.provider == Provider.paycast.rawValue ? "granted" : StoreWords.store(item.provider)
        name = "\(item.product), \(store)" + (item.environment == "Production" ? "" : ", \(item.environment)")
        let move = ContractHistory.move(of: contract, in: events)
        let told = events.filter { $0.hasTold(item) || $0 == move }
            .compactMap { event in event.date.map { (at: $0, event: event) } }.sorted { $0.at < $1.at }
        let until = item.accessUntil?.instant
        let spans = ContractHistory.spans(contract, told: told, until: until, now: now)
        guard let moved = move?.at.instant else {
            (self.spans, marks) = (spans, ContractHistory.marks(contract, told: told, amounts: amounts, until: until))
            return
        }
        self.spans = spans.filter { $0.end > moved }.map { span in
            Span(state: span.state, product: span.product, start: max(span.start, moved), end: span.end)
        }
        let own = ContractHistory.marks(contract, told: told.filter { $0.at >= moved }, amounts: amounts, until: until)
        marks = [Moment(kind: .move, at: moved, title: "Moved here")] + own.filter { $0.at >= moved }
    }

    /// What was before belongs to another user; of a contract that others share, to this one too.
    private static func move(of contract: ContractDetail, in events: [FeedItem]) -> FeedItem? {
        guard let owner = contract.details.owner, contract.details.sharedWith.isEmpty else { return nil }
        let item = contract.summary
        return events.filter { event in
            event.isMove && event.user == owner && event.provider == item.provider
                && event.contract?.hasSameBytes(as: item.contract) == true
        }.max { $0.at < $1.at }
    }

    /// Each state of a product lasts until the next one. The last one lasts until now, or until the end that the store has said.
    private static func spans(
        _ contract: ContractDetail,
        told: [(at: Instant, event: FeedItem)],
        until: Instant?,
        now: Instant
    ) -> [Span] {
        let (state, present) = (contract.summary.state, contract.summary.product)
        var changes: [(at: Instant, state: String, product: String)] = []
        if let bought = contract.details.purchasedAt?.instant, told.first.map({ bought < $0.at }) ?? true {
            let first = told.first?.event
            changes.append((bought, first?.previousState ?? first?.state ?? state, first?.product ?? present))
        }
        for (at, event) in told {
            let (last, product) = (changes.last, event.product ?? changes.last?.product ?? present)
            guard let state = event.state, state != last?.state || product != last?.product else { continue }
            changes.append((at, state, product))
        }
        let hasEnded = ContractState(rawValue: state)?.givesAccess != true
        if changes.last?.state != state {
            // It ended by itself: nobody has said so.
            changes.append((hasEnded ? until ?? now : now, state, present))
        }
        var spans: [Span] = []
        for (number, change) in changes.enumerated() {
            let end = number + 1 < changes.count ? changes[number + 1].at : now
            guard end > change.at else { continue }
            spans.append(Span(state: change.state, product: change.product, start: change.at, end: end))
        }
        if !hasEnded, let until, until > now {
            spans.append(Span(state: state, product: present, start: now, end: until))
        }
        return spans
    }

    private static func marks(
        _ contract: ContractDetail,
        told: [(at: Instant, event: FeedItem)],
        amounts: [String: String],
        until: Instant?
    ) -> [Moment] {
        var marks = told.compactMap { at, event in
            EventNames.mark(event.kind).map { kind in
                let amount = [.charge, .refund].contains(kind) ? amounts[event.cursor] : nil
                return Moment(kind: kind, at: at, title: EventNames.title(event.kind), amount: amount)
            }
        }
        let details = contract.details
        if let bought = details.purchasedAt?.instant, marks.isEmpty {
            let title = details.kind == ProductKind.subscription.rawValue ? "Charged" : "Bought"
            let amount = StoreWords.price(details.price, currency: details.currency)
            marks.append(Moment(kind: .charge, at: bought, title: title, amount: amount))
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
