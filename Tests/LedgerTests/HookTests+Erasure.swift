import Domain
import Foundation
import Support
import TestSupport
import Testing

@testable import Ledger

/// The message about an erasure is the last that names the user: what is told, and what is left of it.
extension HookTests {
    /// The last row that names an erased user is the message about it, and that goes with its arrival.
    @Test func anErasureIsToldAndForgotten() throws {
        let ledger = try ledger()
        defer { ledger.remove() }
        _ = try ledger.send(bought("e1", by: "42"))
        try ledger.erase("42")
        let due = try ledger.hooks(to: HookTests.address)
        #expect(due.map(\.delivery.type) == [.userErased] && due.first?.entitlements == nil)
        // A user who is not known any more is erased once more: nothing is told, nothing is lost.
        try ledger.erase("42")
        try ledger.end(try #require(due.first), with: .accepted)
        #expect(try ledger.deliveries(of: "42").isEmpty)
    }

    /// A message about an erasure that was given up is the last row that names its user: no byte of it is left.
    @Test func anErasureThatWasGivenUpLeavesNothing() throws {
        var policy = AccessPolicy(sandboxUsers: .only([]))
        policy.hooks = [HookTarget(address: HookTests.address)]
        let ledger = try TemporaryLedger(policy: policy, kind: .file)
        defer { ledger.remove() }
        _ = try ledger.send(bought("e1", by: "somebody-to-forget"))
        try ledger.erase("somebody-to-forget")
        let due = try #require(try ledger.hooks(to: HookTests.address).first)
        try ledger.end(due, with: .failed(reason: "it answers 503"))
        try ledger.setClock(to: now + .seconds(31 * 86_400))
        // The next answer forgets what is old.
        _ = try ledger.send(bought("e2", by: "43", lineage: "2"))
        try ledger.acceptAll(to: HookTests.address)
        #expect(try ledger.deliveries(of: "somebody-to-forget").isEmpty)
        ledger.close()
        let bytes = try [UInt8](Data(contentsOf: URL(fileURLWithPath: ledger.path)))
        #expect(bytes.firstRange(of: Array("somebody-to-forget".utf8)) == nil)
    }

    /// The message has gone when the process is killed: the next start overwrites what it left.
    @Test func aKilledProcessStillOwesTheScrub() throws {
        var policy = AccessPolicy(sandboxUsers: .only([]))
        policy.hooks = [HookTarget(address: HookTests.address)]
        let killed = try TemporaryLedger(policy: policy, kind: .file)
        defer { killed.remove() }
        _ = try killed.send(bought("e1", by: "somebody-to-forget"))
        try killed.erase("somebody-to-forget")
        try killed.acceptAll(to: HookTests.address)
        #expect(try killed.checkpoint("scrub") != nil)
        // What a kill leaves.
        let path = TemporaryLedger.newPath()
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(atPath: killed.path + suffix, toPath: path + suffix)
        }
        let ledger = try TemporaryLedger(at: path, policy: policy, kind: .file)
        defer { ledger.remove() }
        try Deadline(.seconds(60)).wait(for: "the scrub") { try ledger.checkpoint("scrub") == nil }
        for suffix in ["", "-wal"] {
            let bytes = try [UInt8](Data(contentsOf: URL(fileURLWithPath: path + suffix)))
            #expect(bytes.firstRange(of: Array("somebody-to-forget".utf8)) == nil)
        }
    }

    /// Both are committed in one transaction, and the second finds nothing left.
    @Test func anErasureThatIsRepeatedAtOnceIsTold() throws {
        let ledger = try ledger()
        defer { ledger.remove() }
        _ = try ledger.send(bought("e1", by: "42"))
        let gate = Promise<Bool>()
        // The writer is busy until both wait for it.
        #expect(ledger.writer.submit(.resendHook(0) { _ in _ = gate.wait() }))
        let answers = [Promise<Bool>(), Promise<Bool>()]
        for answer in answers {
            #expect(ledger.writer.submit(.erase("42") { answer.fulfil((try? $0.get())?.isDone == true) }))
        }
        gate.fulfil(true)
        #expect(answers.map { $0.wait() } == [true, true])
        #expect(try ledger.hooks(to: HookTests.address).map(\.delivery.type) == [.userErased])
    }

    /// The message names somebody who must not be named for ever.
    @Test func whatNobodyNamesAnyMoreIsErased() throws {
        let ledger = try ledger()
        defer { ledger.remove() }
        _ = try ledger.send(bought("e1", by: "42"))
        try ledger.erase("42")
        try ledger.name([])
        #expect(try ledger.deliveries(of: "42").count == 1)
        try ledger.setClock(to: now + .seconds(31 * 86_400))
        try ledger.name([HookTests.address])
        #expect(try ledger.deliveries(of: "42").count == 1)
        try ledger.name([])
        #expect(try ledger.deliveries(of: "42").isEmpty)
    }
}
