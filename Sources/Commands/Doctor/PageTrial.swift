import Support
import Synchronization

/// A page that the doctor opens, on a thread of its own.
final class PageTrial: Sendable {
    enum Kind: String, CaseIterable, Sendable {
        case events1 = "events, HTTP/1.1"
        case events2 = "events, HTTP/2"
        case webSocket = "WebSocket"
        case cable = "Action Cable"

        var transport: PageTransport {
            switch self {
            case .events1, .events2: .sse
            case .webSocket: .websocket
            case .cable: .cable
            }
        }
    }

    struct Outcome: Sendable {
        /// From the beginning.
        var opened: Duration?
        /// From the publication of what is expected.
        var received: Duration?
        /// After it was open.
        var ended: Duration?
        var failure: PageFailure?
        /// How often something was expected.
        var round = 0

        var isOpen: Bool { opened != nil }
        var hasReceived: Bool { received != nil }
    }

    private struct State {
        var outcome = Outcome()
        var start = ContinuousClock.now
        var expected: (word: String, since: ContinuousClock.Instant)?
        var isOver = false
    }

    /// Something has happened to one of them.
    static let news = Waker()

    let kind: Kind
    private let state = Mutex(State())
    private let gone = Promise<Void>()

    init(_ kind: Kind, connection: PageConnection) {
        self.kind = kind
        WorkerThread.detach(name: "page") { [self] in
            do throws(PageFailure) {
                try connection.run(since: nil) { event in happened(event) }
            } catch {
                failed(error)
            }
            PageTrial.news.wake()
            gone.fulfil(())
        }
    }

    var outcome: Outcome { state.withLock { $0.outcome } }

    /// From now on the page waits for a message with this word.
    func expect(_ word: String) {
        state.withLock { state in
            state.expected = (word, .now)
            state.outcome.received = nil
            state.outcome.round += 1
        }
    }

    /// Its thread learns it within a second.
    func end() { state.withLock { $0.isOver = true } }

    /// Ends it, and waits for its thread: it may hold up another one's handshake, and must not be inside of TLS when the
    /// program exits.
    func join() {
        end()
        _ = gone.wait(timeout: .seconds(5))
    }

    private func happened(_ event: PageConnection.Event) -> Bool {
        defer { PageTrial.news.wake() }
        return state.withLock { state in
            switch event {
            case .opened: state.outcome.opened = state.start.duration(to: .now)
            case .message(let html, _):
                guard let expected = state.expected, html.contains(expected.word) else { break }
                state.outcome.received = expected.since.duration(to: .now)
            case .position, .place, .gap, .tick: break
            }
            return !state.isOver
        }
    }

    private func failed(_ failure: PageFailure) {
        state.withLock { state in
            guard !state.isOver else { return }
            state.outcome.failure = failure
            state.outcome.ended = state.outcome.opened.map { state.start.duration(to: .now) - $0 }
        }
    }
}
