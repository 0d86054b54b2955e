public import APIModel
public import Domain
import HTTP
import Ledger
import Pages
import Stores

extension Services {
    /// `GET /search?q=NAME[&stores=true]`: what has exactly this name, whatever kind of name it is. The longest is a purchase
    /// token of Google's. With `stores`, what nothing here has is looked up at the stores.
    func search(_ request: Request) throws(RefusedBody) -> Answer {
        guard let name = request.query["q"], isValidIdentifier(name, limit: 1024) else {
            throw RefusedBody("invalid_query", message: "q must have 1 to 1,024 bytes and no control characters.")
        }
        let asksStores = try request.query.flag("stores") && isForStores(name)
        return .later { [self] reply in
            ask({ try $0.search(name) }, for: reply) { [self] hits in
                guard asksStores, hits.isEmpty else { return reply.send(found(hits, name)) }
                reply.send(
                    busyUnless: blockingPools.submit(.lookups) { [self] in
                        lookUp(name, reply: reply)
                    } orElse: {
                        reply.send(.busy)
                    }
                )
            }
        }
    }

    private func found(_ hits: [SearchHit], _ name: String, asked: [LookupAnswer] = []) -> Response {
        let found = hits.map { SearchAnswer.Hit($0, epoch: epoch) }
        return JSON.response(200, body: SearchAnswer(query: name, found: found, asked: asked))
    }

    /// Asks the stores, and then the ledger for what they have named.
    private func lookUp(_ name: String, reply: Reply) {
        let replies = replies(about: name)
        let names = replies.flatMap(\.found).map(\.name).reduce(into: [String]()) { names, name in
            if names.count < 20, !names.contains(where: name.hasSameBytes) { names.append(name) }
        }
        let isTaken = ask({ queries throws in try names.map { try queries.contracts(named: $0) } }, for: reply) {
            [self] hits in
            let known = zip(names, hits).filter { !$1.isEmpty }.map { $0.0 }
            let asked = replies.map { reply in LookupAnswer(reply) { known.contains(where: $0.name.hasSameBytes) } }
            reply.send(found(Array(hits.joined().prefix(20)), name, asked: asked))
        }
        if !isTaken { reply.send(.busy) }
    }
}

extension SearchAnswer.Hit {
    fileprivate init(_ hit: SearchHit, epoch: String) {
        switch hit {
        case .user(let user): self.init(kind: "user", id: user.text, user: user)
        case .order(let order):
            self.init(
                kind: "order",
                id: order.token.description,
                user: order.user,
                provider: order.provider?.rawValue,
                product: order.product
            )
        case .contract(let contract, let owner, let newest):
            self.init(
                kind: "contract",
                id: contract.key.lineage,
                user: owner,
                provider: contract.key.provider.rawValue,
                product: contract.snapshot?.snapshot.product ?? contract.transaction?.transaction.product,
                cursor: newest?.description
            )
        case .event(let entry):
            self.init(
                kind: "event",
                id: entry.notice.event ?? "",
                user: entry.notice.user,
                provider: entry.notice.provider?.rawValue,
                product: entry.notice.product,
                cursor: Cursor(epoch: epoch, position: entry.position).description
            )
        }
    }
}

/// Answers `GET /search`: what has the name that was looked for.
public struct SearchAnswer: Codable, Sendable, Equatable {
    public struct Hit: Codable, Sendable, Equatable {
        /// `user`, `order`, `contract` or `event`.
        public var kind: String
        /// Its name: a user's id, an order's token, a contract's lineage id, an event's id.
        public var id: String
        /// Whose it is; null if nobody is known.
        @Nullable public var user: UserID?
        @Nullable public var provider: String? = nil
        @Nullable public var product: String? = nil
        /// Of an event, its own; of a contract, its newest event's.
        @Nullable public var cursor: String? = nil
    }

    public var query: String
    /// At most 23.
    public var found: [Hit]
    /// The stores that were asked, because nothing here has the name itself.
    public var asked: [LookupAnswer] = []
}
