public import APIModel
public import Domain
import HTTP
import Ledger
import Pages

extension Services {
    /// `GET /search?q=NAME`: what has exactly this name, whatever kind of name it is. The longest is a purchase token of
    /// Google's.
    func search(_ request: Request) throws(RefusedBody) -> Answer {
        guard let name = request.query["q"], isValidIdentifier(name, limit: 1024) else {
            throw RefusedBody("invalid_query", message: "q must have 1 to 1,024 bytes and no control characters.")
        }
        return answer(asking: { try $0.search(name) }) { [epoch] hits in
            let found = hits.map { SearchAnswer.Hit($0, epoch: epoch) }
            return JSON.response(200, body: SearchAnswer(query: name, found: found))
        }
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
}
