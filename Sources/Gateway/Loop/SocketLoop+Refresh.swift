internal import Domain
internal import Hub

/// When something was lost that only the app's own server still knows.
extension SocketLoop {
    /// Tells every open page to load itself again.
    func refreshPages() {
        let streams = Set(seats.compactMap { $0 }.filter { $0.transport != .feed }.map(\.stream))
        refreshing = Spread(Array(streams))
    }

    /// At each tick.
    func refreshSome() {
        guard !refreshing.isEmpty else { return }
        for stream in refreshing.next() {
            publish(Message(stream: stream, position: nil, parts: [.refresh]))
        }
    }
}
