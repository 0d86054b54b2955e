import Glibc
import TestSupport
import Testing

@testable import Gateway

/// What epoll does not do by itself: https://man7.org/linux/man-pages/man7/epoll.7.html
@Suite(.blocking) final class EventLoopTests {
    private let loop: EventLoop
    private let first = SocketPair()
    private let second = SocketPair()
    private var reports: [String] = []

    init() throws {
        loop = try EventLoop()
    }

    @Test func whatIsNotReadIsReportedAgain() throws {
        let watch = try watch(first)
        watch.start { [unowned self] report in
            note("first", report)
            guard reports.count == 3 else { return }
            first.read()
            watch.end()
            loop.stop()
        }
        first.peerSends()
        run()
        #expect(reports == ["first is readable", "first is readable", "first is readable", "first is closed"])
    }

    @Test func aWatchThatHasEndedIsNotReportedInTheSameTurn() throws {
        let watches = [try watch(first), try watch(second)]
        for (index, watch) in watches.enumerated() {
            watch.start { [unowned self] report in
                note("one", report)
                guard case .ready = report else { return }
                watches[1 - index].end()
                loop.stop()
            }
        }
        first.peerSends()
        second.peerSends()
        run()
        #expect(reports == ["one is readable", "one is closed"])
        // Another test's child that is being started may hold a copy for a moment.
        try Deadline(.seconds(30)).wait(for: "the end of one") { first.isClosed || second.isClosed }
        #expect(!first.isClosed || !second.isClosed)
        for watch in watches { watch.end() }
    }

    /// epoll reports a peer that has hung up even to those who want to know nothing.
    @Test func aHangUpDoesNotSpinWhileNobodyReads() throws {
        let watch = try watch(first)
        watch.start { [unowned self] in note("first", $0) }
        watch.report(reading: false, writing: false)
        first.peerSends()
        first.peerHangsUp()
        let turns = turns(for: 5)
        #expect(turns < 50)
        #expect(reports.isEmpty)
        watch.report(reading: true, writing: false)
        _ = self.turns(for: 1)
        #expect(reports.first == "first is readable")
        watch.end()
    }

    @Test func whoWantsToWriteIsToldOnce() throws {
        let watch = try watch(first)
        watch.start { [unowned self] report in
            note("first", report)
            watch.report(reading: true, writing: false)
        }
        watch.report(reading: true, writing: true)
        #expect(turns(for: 5) < 50)
        #expect(reports == ["first is writable"])
        watch.end()
    }

    /// Nobody reads the waker's descriptor.
    @Test func eachWakeIsReportedOnce() throws {
        let waker = try #require(LoopWaker())
        var woken = 0
        #expect(loop.observe(waker) { woken += 1 })
        var wakes = 0
        var turns = 0
        let wake: () -> Void = {
            if wakes == 5 { return self.loop.stop() }
            wakes += 1
            waker.wake()
        }
        loop.run(every: .milliseconds(1), tick: wake) {
            turns += 1
            return true
        }
        #expect(woken == 5)
        #expect(turns < 50)
    }

    @Test func anEndThatIsSetBetweenTurnsIsNoticed() throws {
        let waker = try #require(LoopWaker())
        let isWatched = loop.observe(waker) { [unowned self] in loop.stop(after: .milliseconds(1)) }
        #expect(isWatched)
        _ = turns(for: 1)
        waker.wake()
        let start = ContinuousClock.now
        run()
        #expect(ContinuousClock.now - start < .seconds(10))
    }

    @Test func whoHasMoreToDoIsNotKeptWaiting() throws {
        let watch = try watch(first)
        watch.start { [unowned self] in note("first", $0) }
        var turns = 0
        loop.run(every: .seconds(3600), tick: {}) {
            turns += 1
            if turns == 3 { first.peerSends() }
            if reports.count == 2 {
                first.read()
                loop.stop()
            }
            return reports.count == 2
        }
        #expect(reports == ["first is readable", "first is readable"])
        #expect(turns == 5)
        watch.end()
    }

    /// Without a tick.
    private func run() {
        loop.run(every: .seconds(3600), tick: {}, prepare: { true })
    }

    /// The number of turns that the loop takes within `count` ticks.
    private func turns(for count: Int) -> Int {
        var turns = 0
        var ticks = 0
        let tick = {
            ticks += 1
            if ticks == count { self.loop.stop() }
        }
        loop.run(every: .milliseconds(1), tick: tick) {
            turns += 1
            return true
        }
        return turns
    }

    private func watch(_ pair: SocketPair) throws -> DescriptorWatch {
        try #require(DescriptorWatch(pair.ours, on: loop))
    }

    private func note(_ name: String, _ report: Socket.Report) {
        switch report {
        case .ready(reading: true, writing: false): reports.append("\(name) is readable")
        case .ready(reading: false, writing: true): reports.append("\(name) is writable")
        case .ready: reports.append("\(name) is both or neither")
        case .failed: reports.append("\(name) has failed")
        case .closed: reports.append("\(name) is closed")
        }
    }
}

/// Two connected sockets; a watch closes ours.
private final class SocketPair {
    let ours: Int32
    private var theirs: Int32

    init() {
        var ends: [Int32] = [-1, -1]
        socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends)
        ours = ends[0]
        theirs = ends[1]
    }

    deinit {
        peerHangsUp()
    }

    /// As its peer sees it: the number of a closed descriptor may belong to another one by now.
    var isClosed: Bool {
        var byte: UInt8 = 0
        let count = recv(theirs, &byte, 1, Int32(MSG_DONTWAIT))
        return count == 0 || count < 0 && errno == ECONNRESET
    }

    func peerSends() {
        send(theirs, "x", 1, Int32(MSG_NOSIGNAL))
    }

    func peerHangsUp() {
        if theirs >= 0 { close(theirs) }
        theirs = -1
    }

    func read() {
        var byte: UInt8 = 0
        recv(ours, &byte, 1, 0)
    }
}
