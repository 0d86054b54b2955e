import APIModel
import Domain
import Ledger
import Pages

/// `GET /users/{user}/pages`: the user's pages that are open at this node, and what they show.
struct UserPagesEndpoint {
    let services: Services

    func answer(_ user: UserID) -> Answer {
        guard isValidIdentifier(user.text), let stream = services.streams.stream(for: user) else {
            return .respond(UsersEndpoint.invalidUser)
        }
        return .later { [services] reply in
            // A page that knows nothing is sent what all of them show.
            services.reader.missed(on: stream, since: .nothing) { result in
                guard case .success(let missed) = result else { return reply.send(.unreadable) }
                services.openPages(stream) { pages in
                    let answer = UserPagesAnswer(
                        user: user,
                        node: services.node,
                        pages: pages.map { UserPagesAnswer.Page($0, epoch: services.epoch) },
                        shown: shown(missed),
                        since: missed.through
                    )
                    reply.send(JSON.response(200, body: answer))
                }
            }
        }
    }

    private func shown(_ missed: MissedFragments) -> [UserPagesAnswer.Shown] {
        let renderer = services.templates.renderer
        return missed.items.flatMap { item in
            item.fragments.map { fragment in
                UserPagesAnswer.Shown(
                    target: fragment.target,
                    cursor: Cursor(epoch: services.epoch, position: item.position),
                    html: renderer.content(of: fragment).map { String(decoding: $0, as: UTF8.self) }
                )
            }
        }
    }
}

extension UserPagesAnswer.Page {
    fileprivate init(_ page: OpenPage, epoch: String) {
        self.init(
            transport: page.transport,
            openedAt: page.openedAt,
            cursor: page.position.map { Cursor(epoch: epoch, position: $0) },
            waitingBytes: page.waitingBytes
        )
    }
}
