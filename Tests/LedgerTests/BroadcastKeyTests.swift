import Domain
import Support
import TestSupport
import Testing

@testable import Ledger

/// A broadcast with an idempotency key is made once, and the key is forgotten in time.
@Suite(.blocking) struct BroadcastKeyTests {
    private static let fragments = ["a", "b", "c"].compactMap { target in
        StreamPattern.standard.stream(for: "42").map {
            Fragment(stream: $0, action: "append", target: target, content: .html("<i></i>"))
        }
    }

    @Test func theSameRequestIsToldTheSameCursors() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        let made = try ledger.broadcast(Self.fragments, once: Self.request("k"))
        guard case .made(let cursors) = made else { return #expect(Bool(false), "\(made)") }
        #expect(cursors.map(\.position) == [1, 2, 3])
        _ = try ledger.broadcast(Self.fragments)
        #expect(try ledger.broadcast(Self.fragments, once: Self.request("k")) == .repeated(cursors))
        #expect(try ledger.broadcast(Self.fragments, once: Self.request("k", digest: "other")) == .otherRequest)
        #expect(try ledger.entries().entries.count == 6)
        #expect(try ledger.broadcast(Self.fragments, once: Self.request("l")) != .repeated(cursors))
        #expect(try ledger.entries().entries.count == 9)
    }

    /// A transient broadcast leaves nothing but its key.
    @Test func aKeyMayStandForNothing() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        #expect(try ledger.broadcast([], once: Self.request("k")) == .made([]))
        #expect(try ledger.broadcast([], once: Self.request("k")) == .repeated([]))
        #expect(try ledger.entries().entries.isEmpty)
    }

    @Test func itIsKnownAfterARestart() throws {
        let path = TemporaryLedger.newPath()
        let before = try TemporaryLedger(at: path)
        guard case .made(let cursors) = try before.broadcast(Self.fragments, once: Self.request("k")) else {
            return #expect(Bool(false))
        }
        before.close()
        let after = try TemporaryLedger(at: path)
        defer { after.remove() }
        #expect(try after.broadcast(Self.fragments, once: Self.request("k")) == .repeated(cursors))
    }

    /// Of several broadcasts in one transaction, the first is made.
    @Test func ofManyAtOnceOneIsMade() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        let answers = try (0..<100).map { _ in
            let answer = Promise<Result<KeyedBroadcast, LedgerError>>()
            let command = LedgerCommand.broadcastOnce(Self.fragments, Self.request("k"), completion: answer.fulfil)
            try #require(ledger.writer.submit(command))
            return answer
        }.map { try $0.wait().get() }
        let cursors = (1...3).map { Cursor(epoch: ledger.writer.epoch, position: $0) }
        #expect(answers.first == .made(cursors))
        #expect(answers.dropFirst().allSatisfy { $0 == .repeated(cursors) })
        #expect(try ledger.entries().entries.count == 3)
    }

    @Test func itIsForgottenAfterADay() throws {
        let ledger = try TemporaryLedger(kind: .file)
        defer { ledger.remove() }
        for number in 0..<250 { _ = try ledger.broadcast([], once: Self.request("old-\(number)")) }
        ledger.clock.set(to: TemporaryLedger.start + .seconds(86_340))
        #expect(try ledger.broadcast([], once: Self.request("old-249")) == .repeated([]))
        ledger.clock.set(to: TemporaryLedger.start + .seconds(86_460))
        // An expired key that is still stored, because only a few are removed at a time, no longer counts.
        #expect(try ledger.broadcast([], once: Self.request("old-249", digest: "other")) == .made([]))
        #expect(try Self.keys(ledger) == 150)
        for number in 0..<3 { _ = try ledger.broadcast([], once: Self.request("new-\(number)")) }
        #expect(try Self.keys(ledger) == 4)
    }

    @Test func theNewestAreKept() throws {
        let folder = TemporaryFolder()
        let engine = SQLiteEngine(path: folder.path + "/ledger.db")
        var store = try engine.openRepository(policy: AccessPolicy(sandboxUsers: .only([])), streams: .standard)
        for number in 0..<20 {
            let made = try store.broadcast([], once: Self.request("\(number)"), limit: 5, now: TemporaryLedger.start)
            #expect(made == .made([]))
        }
        let kept = try store.connection.prepare("SELECT key FROM broadcast_keys ORDER BY id").all { $0.text(0) }
        #expect(kept == ["15", "16", "17", "18", "19"])
        let again = try store.broadcast([], once: Self.request("15"), limit: 5, now: TemporaryLedger.start)
        #expect(again == .repeated([]))
    }

    private static func request(_ key: String, digest: String = "digest") -> KeyedRequest {
        guard let key = IdempotencyKey(header: key) else { preconditionFailure("no key: \(key)") }
        return KeyedRequest(key: key, digest: digest)
    }

    private static func keys(_ ledger: TemporaryLedger) throws -> Int64 {
        let connection = try SQLiteConnection(path: ledger.path, access: .readOnly, lockTimeout: .seconds(1))
        return try connection.prepare("SELECT count(*) FROM broadcast_keys").first { $0.integer(0) } ?? -1
    }
}

extension TemporaryLedger {
    fileprivate func broadcast(_ fragments: [Fragment], once request: KeyedRequest) throws -> KeyedBroadcast {
        let answer = Promise<Result<KeyedBroadcast, LedgerError>>()
        guard writer.submit(.broadcastOnce(fragments, request, completion: answer.fulfil)) else {
            throw LedgerError.busy
        }
        return try answer.wait().get()
    }
}
