import Domain
import Pages
import Support
import TestSupport
import Testing

@testable import Gateway

/// Pages that follow several streams over one connection, beside others that follow one.
@Suite(.blocking) struct UnionTests {
    private let server: ScriptedGateway
    private let a, b: StreamName

    init() throws {
        server = try ScriptedGateway()
        (a, b) = (try #require(StreamName("a")), try #require(StreamName("b")))
    }

    /// Live from the first block on.
    private func page(_ query: String) throws -> EventStreamClient {
        let page = try EventStreamClient(port: server.gateway.port, path: "/streams?\(query)")
        #expect(try page.block().id != nil)
        return page
    }

    private func message(_ text: String, on stream: StreamName, at position: Int64? = nil) -> Message {
        Message(stream: stream, position: position, parts: [Part(html: Array(text.utf8), collapseKey: nil)])
    }

    private func publish(_ messages: Message...) {
        server.gateway.publish([Publication(transient: messages)])
    }

    private func received(_ count: Int, by page: EventStreamClient) throws -> [String] {
        try (0..<count).map { _ in
            let message = try page.message()
            return "\(message.id ?? "-") \(message.data ?? "")"
        }
    }

    /// Published before the loop writes anything, so that messages of one stream go out together.
    @Test func messagesComeInTheOrderOfTheLedger() throws {
        let both = try [page("name=a&name=b"), page("name=b&name=a")]
        let (one, other) = (try page("name=a"), try page("name=b"))
        let held = HeldLoop(of: server.gateway)
        for position in 8..<14 as Range<Int64> {
            publish(message("\(position)", on: position % 2 == 0 ? a : b, at: position))
        }
        publish(message("passing", on: b))
        held.release()
        let all = (8..<14).map { "test-\($0) \($0)" } + ["- passing"]
        for page in both { #expect(try received(7, by: page) == all) }
        #expect(try received(3, by: one) == ["test-8 8", "test-10 10", "test-12 12"])
        #expect(try received(4, by: other) == ["test-9 9", "test-11 11", "test-13 13", "- passing"])
        try server.waitFor("paycast_deliveries_total 21")
    }

    /// A page that reconnects with this cursor has both.
    @Test func whatOneEntrySaysOnTwoStreamsIsOneEvent() throws {
        let both = try page("name=a&name=b")
        let one = try page("name=a")
        publish(message("a8 ", on: a, at: 8), message("b8", on: b, at: 8))
        publish(message("a9", on: a, at: 9))
        #expect(try received(2, by: both) == ["test-8 a8 b8", "test-9 a9"])
        #expect(try received(2, by: one) == ["test-8 a8 ", "test-9 a9"])
    }

    @Test func aPageThatComesBackIsAnsweredFromMemory() throws {
        let stays = try page("name=a")
        publish(message("8", on: b, at: 8))
        publish(message("9", on: a, at: 9))
        publish(message("a10 ", on: a, at: 10), message("b10", on: b, at: 10))
        #expect(try received(2, by: stays).count == 2)
        let back = try EventStreamClient(port: server.gateway.port, path: "/streams?name=a&name=b&since=test-8")
        #expect(try back.block().id == "test-8")
        #expect(try received(1, by: back) == ["test-10 9a10 b10"])
        publish(message("11", on: b, at: 11))
        #expect(try received(1, by: back) == ["test-11 11"])
    }

    /// The last page takes its union with it; its members stay followed by those who follow them alone.
    @Test func nothingIsLeftOfThem() throws {
        let one = try page("name=a")
        do { _ = try [page("name=a&name=b"), page("name=a&name=b&name=c")] }
        try server.waitFor("paycast_connections 1")
        server.gateway.waitForLoops()
        #expect(server.gateway.followedStreams == [a])
        publish(message("8", on: a, at: 8))
        #expect(try received(1, by: one) == ["test-8 8"])
        try server.waitFor("paycast_deliveries_total 1")
    }

    @Test func theyAreAmongTheOpenPagesOfEachStream() throws {
        let pages = try [page("name=a&name=b"), page("name=a")]
        let open = Promise<[OpenPage]>()
        server.gateway.openPages(on: a) { open.fulfil($0) }
        #expect(open.wait().count == pages.count)
    }

    /// Of what the page was still owed of both, nothing arrives that named the erased user.
    @Test func anErasureElsewhereReachesThem() throws {
        let both = try page("name=a&name=b")
        let workers = WorkerPool(name: "eraser", threads: 1, capacity: 10)
        defer { workers.close() }
        server.gateway.reloadPages(on: workers) { [b] in $0 == b }
        #expect(try both.message().data == #"<turbo-stream action="refresh"></turbo-stream>"#)
    }

    /// From the moment when its socket takes no more, the hub queues for it.
    @Test func aSlowPageMissesNothingAndKeepsTheOrder() throws {
        let slow = try server.connect()
        slow.limitReceiveBuffer(to: 16 << 10)
        try slow.send("GET /streams?name=a&name=b HTTP/1.1\r\nHost: x\r\n\r\n")
        _ = try slow.read(until: "id: test-7\n\n")
        let filling = String(repeating: "x", count: 60_000)
        var number = 0
        func publishOne() {
            publish(message("[\(number)]\(filling)", on: number % 2 == 0 ? a : b, at: Int64(number + 8)))
            server.gateway.waitForLoops()
            number += 1
        }
        while server.deliveries == number, number < 200 { publishOne() }
        try #require(number < 200, "it was never behind")
        publishOne()
        publishOne()
        publish(message("the end", on: a))
        slow.limitReceiveBuffer(to: 4 << 20)
        let text = try slow.read(until: "the end")
        // A pattern would look at megabytes of filling, letter by letter.
        let numbers = text.utf8.split(separator: UInt8(ascii: "[")).dropFirst().map { message in
            Int(String(decoding: message.prefix { $0 != UInt8(ascii: "]") }, as: UTF8.self))
        }
        #expect(numbers == Array(0..<number))
    }
}
