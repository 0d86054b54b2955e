public import Domain
import Synchronization

/// How the listener learns which streams pages follow, from any thread.
public final class FollowedStreams: Sendable {
    private struct State {
        var fresh: Set<StreamName> = []
        /// Of these, what pages of this server follow, which the other nodes are told.
        var own: Set<StreamName> = []
        var isAsked = true
        var wake: @Sendable () -> Void = {}
        var pages: @Sendable () -> [StreamName] = { [] }
        var share: @Sendable ([StreamName]) -> Void = { _ in }
    }

    private let state = Mutex(State())
    /// The most that waits; the rest is announced again within a minute.
    private static let limit = 20_000

    public init() {}

    /// `pages` returns all streams that pages of this server follow, and `share` tells the other nodes some. Neither may
    /// block.
    public func connect(
        pages: @escaping @Sendable () -> [StreamName],
        share: @escaping @Sendable ([StreamName]) -> Void
    ) {
        state.withLock { state in
            state.pages = pages
            state.share = share
        }
    }

    /// A page of this server follows a stream that none followed before.
    public func follow(_ stream: StreamName) {
        change { state in
            guard state.own.count < FollowedStreams.limit else { return }
            state.own.insert(stream)
        }
    }

    /// Pages of another node follow these.
    public func followElsewhere(_ streams: [StreamName]) {
        change { state in
            guard state.fresh.count < FollowedStreams.limit else { return }
            state.fresh.formUnion(streams)
        }
    }

    /// Another node wants to know what pages of this server follow.
    public func sayAgain() {
        change { $0.isAsked = true }
    }

    private func change(_ body: (inout State) -> Void) {
        state.withLock { state in
            body(&state)
            return state.wake
        }()
    }

    // MARK: On the listener's thread

    func wakeListener(by wake: @escaping @Sendable () -> Void) {
        state.withLock { $0.wake = wake }
    }

    /// What is new. `isAsked` if everything that pages of this server follow is to be said again.
    func take() -> (fresh: [StreamName], own: [StreamName], isAsked: Bool) {
        state.withLock { state in
            defer { (state.fresh, state.own, state.isAsked) = ([], [], false) }
            return (Array(state.fresh), Array(state.own), state.isAsked)
        }
    }

    var onPages: [StreamName] { state.withLock { $0.pages }() }

    func share(_ streams: [StreamName]) {
        guard !streams.isEmpty else { return }
        state.withLock { $0.share }(streams)
    }
}
