internal import Admission
internal import Hub
internal import Observability
internal import Pages

/// Lets a page catch up: from the recent messages in this loop's memory, or from the ledger.
extension PageWriter {
    /// Answers a page that was here a moment ago from memory, with `send`: nothing can be published between the
    /// subscription and the answer, so there is no gap and no repeat. For all other pages it asks the ledger, whose
    /// answer arrives as mail. Returns false if the ledger is too busy.
    func readCatchUp(_ request: PageRequest, for id: SubscriptionID, send: (CatchUpBatch) -> Void) -> Bool {
        guard let recent = rememberedBatch(for: request) else {
            return request.readCatchUp { [port = loop.port] missed in port.send(.catchUp(id, missed)) }
        }
        send(recent)
        return true
    }

    private func rememberedBatch(for request: PageRequest) -> CatchUpBatch? {
        let messages: [Message]? =
            switch request.seen {
            case .upTo(let position): subscriptions.hub.recentMessages(on: request.stream, after: position)
            case .nothing: subscriptions.hub.newestMessages(on: request.stream)
            case nil: nil
            }
        return messages.map { CatchUpBatch(through: subscriptions.hub.position, messages: $0) }
    }

    /// The part to send: the newest fragment of each target, as much as may wait for a page, and no refresh that the page
    /// has had.
    func news(in missed: CatchUpBatch, for subscriber: Subscriber) -> CatchUpBatch {
        var news = missed.collapsed
        if subscriber.transport != .feed { news = news.bounded(to: loop.limits.queuedBytes) }
        news = news.withRefreshes {
            loop.shared.sentRefreshes.isNews($0, on: subscriber.stream, for: subscriber.refreshes)
        }
        if !news.messages.isEmpty { loop.metrics.catchUps.add() }
        loop.metrics.catchUpMessages.add(news.messages.count)
        return news
    }
}
