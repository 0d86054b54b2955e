import Encoding
import Testing

@testable import Ledger

/// Whoever may connect to the database may notify anything: only what a node of the ledger has sent is a message.
@Suite struct MessageKeyTests {
    private static let key = MessageKey(derivedFrom: "the ledger's")
    private static let stranger = MessageKey(derivedFrom: "guessed")

    /// What one sender sent as its seventh message, and changes to it.
    struct Forgery: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var key = MessageKeyTests.key
        var sealedEpoch = "e"
        var change: @Sendable (inout [String]) -> Void = { _ in }
    }

    private static let forgeries = [
        Forgery(testDescription: "another key", key: stranger),
        Forgery(testDescription: "of another epoch", sealedEpoch: "f") { $0[0] = "e" },
        Forgery(testDescription: "another position") { $0[1] = "4" },
        Forgery(testDescription: "another number") { $0[2] = String(1 << 32 | 8) },
        Forgery(testDescription: "another sender") { $0[2] = String(2 << 32 | 7) },
        Forgery(testDescription: "first byte of the code") { $0[5] = changed($0[5], at: 0) },
        Forgery(testDescription: "last byte of the code") { $0[5] = changed($0[5], at: 31) },
        Forgery(testDescription: "first byte of the body") { $0[5] = changed($0[5], at: 32) },
        Forgery(testDescription: "last byte of the body") { $0[5] = changed($0[5], at: 36) },
        Forgery(testDescription: "a byte less") { $0[5] = Base64.encode((Base64.decode($0[5]) ?? []).dropLast()) },
        Forgery(testDescription: "a byte more") { $0[5] = Base64.encode((Base64.decode($0[5]) ?? []) + [0]) },
        Forgery(testDescription: "no code") { $0[5] = Base64.encode(Array("hello".utf8)) },
        Forgery(testDescription: "half a code") { $0[5] = Base64.encode([UInt8](repeating: 0, count: 16)) },
        Forgery(testDescription: "nothing") { $0[5] = "" },
    ]

    @Test(arguments: forgeries) func aForgeryIsNoMessage(_ forgery: Forgery) {
        var assembly = MessageAssembly(epoch: "e", key: MessageKeyTests.key, ignoring: 5)
        var fields = payload(7, key: forgery.key, epoch: forgery.sealedEpoch).split(separator: ":").map(String.init)
        forgery.change(&fields)
        #expect(assembly.add(fields.joined(separator: ":"), from: 1) == nil)
        #expect(assembly.heard.senderCount == 0, "a forgery moves no sender's number")
        let genuine = assembly.add(payload(7), from: 1)
        #expect(genuine == NodeMessage(body: Array("hello".utf8), position: 3))
    }

    @Test func aReplayIsNoMessage() {
        var assembly = MessageAssembly(epoch: "e", key: MessageKeyTests.key, ignoring: 5)
        let first = [7, 9].map { assembly.add(payload($0), from: 1) }
        #expect(first.allSatisfy { $0 != nil })
        let again = [7, 8, 9].map { assembly.add(payload($0), from: 2) }
        #expect(again.allSatisfy { $0 == nil })
        var reconnected = MessageAssembly(
            epoch: "e",
            key: MessageKeyTests.key,
            ignoring: 5,
            heard: assembly.heard
        )
        #expect(reconnected.add(payload(9), from: 1) == nil)
        #expect(reconnected.add(payload(10), from: 1) != nil)
        #expect(reconnected.add(payload(1, sender: 2), from: 1) != nil, "a sender that begins again")
    }

    @Test func sendersAreBounded() {
        var heard = NewestMessageNumbers()
        for sender in 0..<Int64(2 * NewestMessageNumbers.senderLimit) {
            #expect(heard.take(sender << 32 | 1) == true)
            // Who goes on sending is not forgotten.
            _ = heard.take(sender + 1)
        }
        #expect(heard.senderCount == NewestMessageNumbers.senderLimit)
        #expect(heard.take(Int64(NewestMessageNumbers.senderLimit)) == false)
    }

    private func payload(
        _ number: Int64,
        sender: Int64 = 1,
        key: MessageKey = MessageKeyTests.key,
        epoch: String = "e"
    ) -> String {
        let body = Array("hello".utf8)
        return NotifyPieces.payloads(of: body, key: key, epoch: epoch, after: 3, number: sender << 32 | number)[0]
    }

    private static func changed(_ data: String, at index: Int) -> String {
        var bytes = Base64.decode(data) ?? []
        bytes[index] ^= 1
        return Base64.encode(bytes)
    }
}
