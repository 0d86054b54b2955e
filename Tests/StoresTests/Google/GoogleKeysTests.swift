import Domain
import Glibc
import HTTPClient
import Stores
import Support
import Synchronization
import TestSupport
import Testing

/// Over real connections.
@Suite struct GoogleKeysTests {
    private static let now = Instant(milliseconds: 1_767_225_600_000)

    private final class Mood: Sendable {
        let answer = Mutex(AnsweringServer.Answer(200))
    }

    private func keys(_ mood: Mood, timeout: Duration = .seconds(5)) -> (AnsweringServer, GoogleKeys) {
        let server = AnsweringServer { _ in mood.answer.withLock { $0 } }
        let url = server.url
        return (server, GoogleKeys(client: HTTPClient(timeout: timeout)) { url })
    }

    private func good() throws -> AnsweringServer.Answer {
        AnsweringServer.Answer(
            200,
            body: try GoogleKeyCacheTests.certificates(),
            headers: [("Cache-Control", "max-age=3600")]
        )
    }

    @Test func oneFetchServesAll() throws {
        let mood = Mood()
        let answer = try good()
        mood.answer.withLock { $0 = answer }
        let (server, keys) = keys(mood)
        #expect(try keys.key("a", now: Self.now) != nil)
        for _ in 0..<100 { #expect(try keys.key("a", now: Self.now) != nil) }
        // A flood of key ids that strangers make up.
        for number in 0..<100 { #expect(try keys.key("\(number)", now: Self.now + .seconds(30)) == nil) }
        #expect(server.requests.count == 1)
        for number in 0..<100 { #expect(try keys.key("\(number)", now: Self.now + .seconds(61)) == nil) }
        #expect(server.requests.count == 2)
    }

    @Test(arguments: [AnsweringServer.Answer(500), .init(200, body: "{}"), .init(404), .init(200, body: "<html>")])
    func withoutKeysNobodyIsRefused(_ answer: AnsweringServer.Answer) throws {
        let mood = Mood()
        mood.answer.withLock { $0 = answer }
        let (server, keys) = keys(mood)
        for second in [0, 1, 4] as [Int64] {
            #expect(throws: StoreAPIError.self) { try keys.key("a", now: Self.now + .seconds(second)) }
        }
        #expect(server.requests.count == 1)
        let good = try good()
        mood.answer.withLock { $0 = good }
        #expect(try keys.key("a", now: Self.now + .seconds(6)) != nil)
    }

    /// The address is silent for as long as the client waits: a known key is served all the same, at once.
    @Test func knownKeysAreNotWaitedFor() throws {
        let mood = Mood()
        let answer = try good()
        mood.answer.withLock { $0 = answer }
        let (server, keys) = keys(mood, timeout: .seconds(20))
        _ = try keys.key("a", now: Self.now)
        mood.answer.withLock { $0 = .silence }
        let clock = ContinuousClock()
        let elapsed = try clock.measure {
            for _ in 0..<100 {
                let key = try keys.key("a", now: Self.now + .seconds(7200))
                #expect(key != nil)
            }
        }
        #expect(elapsed < .seconds(10))
        #expect(server.requests.count <= 2)
    }

    /// Tokens with made-up key ids, while Google is silent: one thread waits, the others are free at once.
    @Test func fetchHoldsOneThreadOnly() throws {
        let mood = Mood()
        mood.answer.withLock { $0 = .init(500) }
        let (server, keys) = keys(mood, timeout: .seconds(6))
        #expect(throws: StoreAPIError.self) { try keys.key("a", now: Self.now) }
        mood.answer.withLock { $0 = .silence }
        let first = WorkerThread(name: "first") { _ = try? keys.key("a", now: Self.now + .seconds(6)) }
        while server.requests.count < 2 { sched_yield() }
        let elapsed = ContinuousClock().measure {
            for number in 0..<20 {
                // A minute later: the running fetch alone is what holds them off.
                #expect(throws: StoreAPIError.self) { try keys.key("\(number)", now: Self.now + .seconds(61)) }
            }
        }
        first.join()
        #expect(elapsed < .seconds(4))
        #expect(server.requests.count == 2)
    }

    /// What Google could not push while the server was away comes all at once. It is answered, or asked to come back,
    /// after one fetch, whose end everybody waits for.
    @Test(arguments: [true, false]) func firstFetchServesAllWhoCame(_ isGood: Bool) throws {
        let good = try good()
        let asking = Atomic<Int>(0)
        let found = Atomic<Int>(0)
        let server = AnsweringServer { _ in
            while asking.load(ordering: .relaxed) < 8 { sched_yield() }
            return isGood ? good : .init(500)
        }
        let url = server.url
        let keys = GoogleKeys { "\(url)/certs" }
        let threads = (0..<8).map { number in
            WorkerThread(name: "push-\(number)") {
                asking.wrappingAdd(1, ordering: .relaxed)
                let key = try? keys.key("a", now: Self.now)
                if key != nil { found.wrappingAdd(1, ordering: .relaxed) }
            }
        }
        for thread in threads { thread.join() }
        #expect(found.load(ordering: .relaxed) == (isGood ? 8 : 0))
        #expect(server.requests.count == 1)
    }

    @Test func addressThatIsNotKnownYetIsNoAnswer() {
        let keys = GoogleKeys { nil }
        #expect(throws: StoreAPIError.self) { try keys.key("a", now: Self.now) }
    }
}
