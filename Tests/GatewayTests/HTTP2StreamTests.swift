import Glibc
import HTTP2
import TestSupport
import Testing

@testable import Gateway

/// A request on its way to a loop, of which this is the other end of the pair.
@Suite struct HTTP2StreamTests {
    private let loop: Int32
    private let stream: HTTP2Stream

    init() throws {
        var pair: [Int32] = [-1, -1]
        let kind = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
        try #require(socketpair(AF_UNIX, Int32(kind), 0, &pair) == 0)
        loop = pair[1]
        stream = HTTP2Stream(id: 1, tag: 1, descriptor: pair[0], head: Array("POST".utf8), isHead: false)
    }

    /// A loop that is behind takes nothing, and the client gives up: its connection must not lose the credit.
    @Test func whatTheLoopHasNotTakenIsCreditedInTheEnd() {
        defer { close(loop) }
        let piece = [UInt8](repeating: 120, count: 16 << 10)
        var (sent, credited) = (0, 0)
        while sent == credited, sent < 16 << 20 {
            credited += stream.send(piece)
            sent += piece.count
        }
        #expect(credited < sent)
        #expect(stream.abandon() == sent - credited)
        #expect(stream.abandon() == 0)
    }

    @Test func bodyOfALoopThatHasGoneIsCreditedAtOnce() {
        close(loop)
        #expect(stream.send([1, 2, 3]) == 3)
        #expect(stream.abandon() == 0)
    }
}
