import Domain
import Support
import TestSupport

@testable import Ledger

/// A writer and a follower, as a server has them, on a ledger in PostgreSQL.
final class Node: Sendable {
    struct Heard: Sendable {
        var bodies: [[UInt8]] = []
        /// How many entries were there when each body came.
        var positions: [Int] = []
        var erased: [ErasedUsers] = []
        var isConnected = false
    }

    let writer: LedgerWriter
    let follower: LedgerFollower
    let committed = Committed()
    let heard = Monitor(Heard())

    static func newSchema() -> String { "node_" + String(UInt64.random(in: 0 ... .max), radix: 36) }

    init(_ name: String, schema: String, port: Int) throws {
        let engine = try PostgresEngine(
            url: PostgresURL("postgres://paycast@127.0.0.1:\(port)/postgres?sslmode=disable"),
            schema: schema,
            node: name
        )
        let committed = committed
        let heard = heard
        let follower = LedgerFollower { committed.add($0) }
        self.follower = follower
        writer = try LedgerWriter(
            engine: engine,
            clock: Clock(),
            policy: AccessPolicy(sandboxUsers: .only([])),
            streams: .standard,
            providers: [.apple],
            log: .silent,
            metrics: Metrics(),
            onCommit: follower.committed
        )
        try follower.start(
            engine,
            policy: AccessPolicy(sandboxUsers: .only([])),
            streams: .standard,
            after: 0,
            health: writer.health
        ) { finding in
            switch finding {
            case .erased(let erased): heard.change { $0.erased.append(erased) }
            case .message(let body):
                let count = committed.all.count
                heard.change {
                    $0.bodies.append(body)
                    $0.positions.append(count)
                }
            case .interruption: heard.change { $0.isConnected = true }
            default: break
            }
        }
    }

    func close() {
        writer.close()
        follower.close()
    }

    func broadcast(_ text: String) throws {
        let fragment = Fragment(
            stream: StreamName("user:42:paywall") ?? .feed(""),
            action: "update",
            target: "card",
            content: .html(text)
        )
        _ = try ask { (answer: @escaping @Sendable (Result<[Cursor], LedgerError>) -> Void) in
            writer.submit(.broadcast([fragment], completion: answer))
        }
    }

    func order(_ user: UserID) throws -> OrderResult {
        try ask { (answer: @escaping @Sendable (Result<OrderResult, OrderError>) -> Void) in
            writer.submit(.order(OrderRequest(user: user, product: "monthly"), completion: answer))
        }
    }

    func erase(_ user: UserID) throws {
        var step = ErasureStep()
        repeat {
            step = try ask { (answer: @escaping @Sendable (Result<ErasureStep, LedgerError>) -> Void) in
                writer.submit(.erase(user, completion: answer))
            }
        } while !step.isDone
    }

    private func ask<Answer: Sendable, Failure>(
        _ question: (@escaping @Sendable (Result<Answer, Failure>) -> Void) -> Bool
    ) throws -> Answer {
        let answer = Promise<Result<Answer, Failure>>()
        guard question(answer.fulfil) else { throw LedgerError.busy }
        return try answer.wait().get()
    }
}
