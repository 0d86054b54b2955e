import Domain
import Pages
import Testing

@testable import Gateway

/// What a loop is handed, in which order it gets it, and what it owes for it.
@Suite struct LoopPortTests {
    private let port: LoopPort
    private let stream: StreamName

    init() throws {
        port = try #require(LoopPort())
        stream = try #require(StreamName("x"))
    }

    private func message(_ count: Int = 100) -> Message {
        let html = [UInt8](repeating: UInt8(ascii: "x"), count: count)
        return Message(stream: stream, position: nil, parts: [Part(html: html, collapseKey: nil)])
    }

    @Test func countsWhatItOwesForEachPage() {
        port.publish([Publication(transient: [message()])])
        let forNobody = port.owed
        #expect(forNobody > 100 && forNobody < 1000)
        port.count(1, followersOf: stream)
        port.count(1, followersOf: stream)
        port.publish([Publication(transient: [message()])])
        #expect(port.owed > 2 * forNobody + 200)
        var inbox = LoopInbox()
        while let mail = inbox.nextMail(from: port, besideUnwritten: true) {
            if case .publish(_, let owed) = mail { port.wrote(owed) }
        }
        #expect(port.owed == 0)
    }

    @Test func hasRoomUntilItOwesTooMuch() {
        port.count(1, followersOf: stream)
        port.broadcast([message(LoopPort.owedLimit / 2)])
        #expect(port.hasRoom)
        port.broadcast([message(LoopPort.owedLimit / 2)])
        #expect(!port.hasRoom)
    }

    @Test func isNotHandedABroadcastThatNobodyFollows() {
        port.broadcast([message()])
        #expect(!port.hasMail && port.owed == 0)
    }

    @Test func messagesOfOneMailComeOneByOne() {
        port.count(1, followersOf: stream)
        port.publish([Publication(transient: [message(1)]), Publication(transient: [message(2)])])
        port.broadcast([message(3), message(4)])
        var inbox = LoopInbox()
        var lengths: [Int] = []
        var owed: [Bool] = []
        while let mail = inbox.nextMail(from: port, besideUnwritten: true) {
            switch mail {
            case .publish(let publications, let bytes):
                lengths += publications.flatMap(\.messages).map(\.html.count)
                owed.append(bytes > 0)
            case .broadcast(let messages, let bytes):
                lengths += messages.map(\.html.count)
                owed.append(bytes > 0)
            default: break
            }
        }
        #expect(lengths == [1, 2, 3, 4])
        // Paid with the last.
        #expect(owed == [false, true, false, true])
    }

    /// All else sees a loop that has written what it has published.
    @Test func onlyMessagesJoinOthersThatAreUnwritten() throws {
        var erasure = Publication(transient: [message()])
        erasure.entry = Entry(
            position: 1,
            committedAt: Instant(milliseconds: 0),
            notice: Notice(kind: .userErased),
            fragments: []
        )
        var inbox = LoopInbox()
        port.publish([Publication(transient: [message()]), erasure])
        port.send(.run { _ in })
        #expect(inbox.nextMail(from: port, besideUnwritten: true) != nil)
        #expect(inbox.nextMail(from: port, besideUnwritten: true) == nil)
        #expect(inbox.nextMail(from: port, besideUnwritten: false) != nil)
        #expect(inbox.nextMail(from: port, besideUnwritten: true) == nil)
        #expect(inbox.nextMail(from: port, besideUnwritten: false) != nil)
        #expect(inbox.isEmpty && !port.hasMail)
    }
}
