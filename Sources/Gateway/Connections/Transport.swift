/// How fragments travel to a client.
enum Transport {
    case eventStream, webSocket, feed, cable, extendedCable

    /// Whether it is an endless response, on which only we send.
    var isResponse: Bool { self == .eventStream || self == .feed }
}
