import Support
import Synchronization
import TestSupport
import Testing

/// A node that is stopped in the middle of a batch, as a machine that swaps or a suspended virtual machine is.
///
/// Another session holds a row that the batch needs, so that the moment is certain: the node's statement waits for it, the
/// node is stopped, the row is let go.
@Suite(.blocking, .enabled(if: PostgresCluster.isInstalled)) struct FrozenNodeTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        /// What the batch has to wait for.
        var lock: String
        /// Whether the batch is in before it runs again.
        var isCommitted: Bool
    }

    /// The other node goes on: at once, or when PostgreSQL ends the frozen session, which has the head's lock. What the
    /// frozen one answers when it runs again is true.
    @Test(arguments: [
        Case(
            testDescription: "between BEGIN and COMMIT",
            lock: "SELECT FROM paycast.head FOR UPDATE",
            isCommitted: false
        ),
        Case(
            testDescription: "after COMMIT was sent",
            lock: "SELECT FROM paycast.writers FOR UPDATE",
            isCommitted: true
        ),
    ]) func othersGoOn(_ given: Case) throws {
        let nodes = try PostgresNodes()
        try nodes.broadcast("warm.", through: 0)
        let before = try nodes.broadcast("before.", through: 0)
        let page = try nodes.page(on: 1, since: before)
        let holder = try nodes.cluster.session("BEGIN; \(given.lock);")
        let frozen = Request { try nodes.broadcast("frozen.", through: 0) }
        let waits =
            "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'paycast' AND wait_event_type = 'Lock'"
        try Deadline(.seconds(60)).wait(for: "the lock") { try nodes.cluster.psql(waits) == "1" }
        nodes[0].process.send(.stop)
        holder.send(.kill)
        // PostgreSQL ends a transaction that does nothing after 10 s.
        try Deadline(.seconds(60)).wait(for: "the other node") { (try? nodes.broadcast("after.", through: 1)) != nil }
        try page.cursors(until: "after.")
        nodes[0].process.send(.resume)
        let answer = frozen.result
        let events = try nodes.log().map(\.event).filter { ["frozen.", "after."].contains($0) }
        switch answer {
        // What was not in, it may have written once more, in its new place; its COMMIT may also have been on its way.
        case .success:
            #expect(events.sorted() == ["after.", "frozen."])
            #expect(!given.isCommitted || events == ["frozen.", "after."])
        case .failure(let error):
            #expect(error as? PostgresNodes.Refused == PostgresNodes.Refused(status: 503, retryAfter: "5"))
            #expect(events == ["after."] && !given.isCommitted)
        }
        // It is in order again, and has seen what was committed meanwhile.
        try Deadline(.seconds(60)).wait(for: "commits") { (try? nodes.broadcast("thawed.", through: 0)) != nil }
        try page.cursors(until: "thawed.")
        try nodes.page(on: 0, since: before).cursors(until: "thawed.")
    }
}

/// A request that is answered later.
private final class Request: Sendable {
    private let thread: WorkerThread
    private let answer = Promise<Result<String, any Error>>()

    init(_ send: @escaping @Sendable () throws -> String) {
        thread = WorkerThread(name: "request") { [answer] in answer.fulfil(Result { try send() }) }
    }

    deinit { thread.join() }

    var result: Result<String, any Error> { answer.wait() }
}
