internal import APIModel
internal import Domain
internal import HTTP
internal import Ledger
internal import Pages

/// `GET /users/{user}[?all=true]`: the current contracts and orders of a user.
struct UserRecordEndpoint {
    private let services: Services

    init(_ services: Services) {
        self.services = services
    }

    func answer(_ user: UserID, request: Request) -> Answer {
        guard isValidIdentifier(user.text), let stream = services.streams.stream(for: user) else {
            return .respond(UsersEndpoint.invalidUser)
        }
        guard let isWhole = request.query.flag("all") else { return .respond(Response.invalidFlag("all")) }
        return .later { [reader = services.reader] reply in
            reader.record(of: user, isWhole: isWhole) { result in
                reply.send(result) { found in
                    let answer = UserAnswer(
                        user: user,
                        stream: stream.text,
                        locale: found.language?.text,
                        active: found.isActive,
                        contracts: found.contracts.map(ContractItem.init),
                        orders: found.orders.map(OrderItem.init),
                        since: found.head
                    )
                    return JSON.response(200, body: answer)
                }
            }
        }
    }
}

extension ContractItem {
    fileprivate init(_ record: ContractRecord) {
        self.init(
            entitlement: EntitlementItem(record.entitlement),
            details: Details(
                app: record.app,
                kind: record.kind,
                owner: record.owner,
                sharedWith: record.sharedWith,
                order: record.order,
                account: record.account,
                replaces: record.replaces,
                charge: record.charge,
                statedAt: record.statedAt
            )
        )
    }
}
