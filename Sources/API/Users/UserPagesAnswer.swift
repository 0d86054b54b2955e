public import APIModel
public import Domain
import HTTP
import Ledger
import Pages

extension Services {
    /// `GET /users/{user}/pages`: the user's pages that are open at this node, and what they show.
    func userPages(_ user: UserID) throws(RefusedBody) -> Answer {
        guard isValidIdentifier(user.text), let stream = streams.stream(for: user) else {
            throw RefusedBody.invalidUserID
        }
        return .later { [self] reply in
            // A page that knows nothing is sent what all of them show.
            reader.missed(on: stream, since: .nothing) { [self] result in
                guard case .success(let missed) = result else { return reply.send(.unreadable) }
                openPages(stream) { [self] pages in
                    let answer = UserPagesAnswer(
                        user: user,
                        node: node,
                        pages: pages.map { UserPagesAnswer.Page($0, epoch: epoch) },
                        shown: shown(missed),
                        since: missed.through.description
                    )
                    reply.send(JSON.response(200, body: answer))
                }
            }
        }
    }

    /// `DELETE /users/{user}/pages[?reason=TEXT]`: ends the user's open pages at all nodes, and the names with which they were
    /// opened.
    func endPages(of user: UserID, _ request: Request) throws(RefusedBody) -> Answer {
        guard streams.stream(for: user) != nil else { throw RefusedBody.invalidUserID }
        let reason = request.query["reason"]
        try RefusedBody.check(reason: reason, about: user)
        let act = act(.endPages, of: request, user: user, reason: reason)
        return .later { [self] reply in
            let command = LedgerCommand.endPages(of: user) { [self] result in
                guard case .success(let ended) = result else { return reply.send(.uncommitted) }
                // What is committed may come out later, behind another node's. What is not, no other node would ever hear of.
                ended.ending.map(endedPages.end)
                reply.send(JSON.response(200, body: EndedPagesAnswer(user: user, since: ended.since.description)))
            }
            return writer.submit(.audited(command, by: act))
        }
    }

    private func shown(_ missed: MissedFragments) -> [UserPagesAnswer.Shown] {
        let renderer = templates.renderer
        return missed.items.flatMap { item in
            item.fragments.map { fragment in
                UserPagesAnswer.Shown(
                    target: fragment.target,
                    cursor: Cursor(epoch: epoch, position: item.position).description,
                    html: renderer.content(of: fragment).map { String(decoding: $0, as: UTF8.self) }
                )
            }
        }
    }
}

/// Answers `GET /users/{user}/pages`.
public struct UserPagesAnswer: Codable, Sendable, Equatable {
    public struct Page: Codable, Sendable, Equatable {
        /// `sse`, `websocket` or `cable`.
        public var transport: String
        /// When it began to follow the stream: ISO 8601, UTC.
        public var openedAt: String
        /// It has everything up to here; null while that is still being read for it.
        @Nullable public var cursor: String?
        /// What waits until its socket takes more: 0 for a page that is not behind.
        public var waitingBytes: Int

        init(_ page: OpenPage, epoch: String) {
            transport = page.transport
            openedAt = page.openedAt.iso8601
            waitingBytes = page.waitingBytes
            cursor = page.position.map { Cursor(epoch: epoch, position: $0).description }
        }
    }

    /// What a page shows in one of its elements, once it has caught up.
    public struct Shown: Codable, Sendable, Equatable {
        /// The id of the element; null if a publisher addressed several.
        @Nullable public var target: String?
        /// Where it was committed.
        public var cursor: String
        /// The element's HTML, rendered now; null if a page reloads instead, and its own server renders it.
        @Nullable public var html: String?
    }

    public var user: UserID
    /// The node that answers. It knows nothing of the pages at other nodes.
    public var node: String
    /// Those that are open at this node.
    public var pages: [Page]
    public var shown: [Shown]
    /// The ledger's newest cursor when this was read.
    public var since: String
}

/// Answers `DELETE /users/{user}/pages`.
public struct EndedPagesAnswer: Codable, Sendable, Equatable {
    public var user: UserID
    /// Where it was committed: names that were signed before are refused.
    public var since: String
}
