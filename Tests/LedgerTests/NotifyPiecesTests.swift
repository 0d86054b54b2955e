import Testing

@testable import Ledger

/// Messages in notifications, and what strangers may notify.
@Suite struct NotifyPiecesTests {
    private let key = MessageKey(derivedFrom: "the ledger's")

    @Test(arguments: [0, 1, NotifyPieces.pieceBytes, NotifyPieces.pieceBytes + 1, 300_000])
    func arriveWhole(_ bytes: Int) {
        let body = (0..<bytes).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        let payloads = NotifyPieces.payloads(of: body, key: key, epoch: "zzzzzzzz", after: .max, number: .max)
        #expect(payloads.allSatisfy { $0.utf8.count < 8000 })
        #expect(Set(payloads).count == payloads.count)
        var assembly = MessageAssembly(epoch: "zzzzzzzz", key: key, ignoring: 5)
        let messages = payloads.compactMap { assembly.add($0, from: 7) }
        #expect(messages == [NodeMessage(body: body, position: .max)])
    }

    @Test func eachSenderIsByItself() {
        var assembly = MessageAssembly(epoch: "e", key: key, ignoring: 5)
        let mine = pieces(20_000, number: 1)
        for payload in mine.dropLast() { #expect(assembly.add(payload, from: 1) == nil) }
        #expect(assembly.add(mine[mine.count - 1], from: 2) == nil, "the last piece is somebody else's")
        let whole = mine.compactMap { assembly.add($0, from: 3) }
        #expect(whole.count == 1, "the next message is whole again")
    }

    @Test func onesOwnMessagesAreNotHeard() {
        var assembly = MessageAssembly(epoch: "e", key: key, ignoring: 5)
        let own = pieces(20_000, number: 5 << 32 | 1)
        for payload in own { #expect(assembly.add(payload, from: 1) == nil) }
        let others = pieces(20_000, number: 6 << 32 | 1).compactMap { assembly.add($0, from: 1) }
        #expect(others.count == 1)
    }

    @Test func aHoleGivesTheMessageUp() {
        var assembly = MessageAssembly(epoch: "e", key: key, ignoring: 5)
        let first = pieces(20_000, number: 1)
        for (index, payload) in first.enumerated() where index != 1 { #expect(assembly.add(payload, from: 1) == nil) }
        let mixed = [first[0]] + pieces(20_000, number: 2).dropFirst()
        let messages = mixed.compactMap { assembly.add($0, from: 1) }
        #expect(messages.isEmpty)
    }

    @Test(arguments: [
        "", ":", ":::::", "e", "e:1", "other:0:1:0:1:eA==", "e:0:1:0:1", "e:0:1:0:1:eA==:", "e:0:1:0:1:x",
        "e:0:1:0:1:eA",
        "e:0:1:0:0:eA==", "e:0:1:-1:1:eA==", "e:0:1:0:-1:eA==", "e:0:1:1:1:eA==", "e:0:1:5:2:eA==",
        "e:99999999999999999999:1:0:1:eA==", "e:0:1:0:99999999999999999999:eA==", "e:0:1:9223372036854775807:1:eA==",
        "e:0:1:0:9223372036854775807:eA==", "\u{0}:0:1:0:1:eA==", "é:0:1:0:1:eA==", "e:٣:1:0:1:eA==",
    ])
    func strangersSayNothing(_ payload: String) {
        var assembly = MessageAssembly(epoch: "e", key: key, ignoring: 5)
        #expect(assembly.add(payload, from: 1) == nil)
        #expect(assembly.add(pieces(1, number: 1)[0], from: 1) == NodeMessage(body: [1], position: 0))
    }

    /// Whoever never ends keeps no more than one message's bytes.
    @Test func aMessageWithoutEndIsGivenUp() {
        var assembly = MessageAssembly(epoch: "e", key: key, ignoring: 5)
        let data = String(repeating: "eHh4", count: 1900)
        let most = NotifyPieces.bodyLimit / 5700
        for index in 0...most { #expect(assembly.add("e:0:1:\(index):1000000:\(data)", from: 1) == nil) }
        #expect(assembly.byteCount == 0)
    }

    private func pieces(_ bytes: Int, number: Int64) -> [String] {
        let body = [UInt8](repeating: 1, count: bytes)
        return NotifyPieces.payloads(of: body, key: key, epoch: "e", after: 0, number: number)
    }
}
