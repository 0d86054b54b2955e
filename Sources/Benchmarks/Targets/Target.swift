/// A running server that pages open and that publishers post to.
protocol Target {
    var process: ChildProcess { get }
    var port: Int { get }

    /// The address that a page of the channel opens.
    func path(channel: Int) -> String

    /// The message with which an Action Cable client follows the channel.
    func subscribeCommand(channel: Int) -> String

    /// The complete request that broadcasts `html` to a channel, without a position in the history.
    func broadcast(_ html: String, channel: Int) -> [UInt8]
}

/// A request with a body; each of the `headers` ends with a line break.
func request(_ method: String, _ path: String, headers: String = "", body: [UInt8]) -> [UInt8] {
    let head = "\(method) \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\n\(headers)Content-Length: \(body.count)\r\n\r\n"
    return Array(head.utf8) + body
}

/// A fragment of 300 bytes that contains its send time.
func timedFragment(_ number: Int) -> String {
    let head = "<turbo-stream action='replace' target='paywall'><template><div id='paywall'>seq=\(number) "
    let tail = "</div></template></turbo-stream>"
    let marker = SendTimeMarker.text(at: nanoseconds())
    let padding = max(0, 300 - head.utf8.count - marker.utf8.count - tail.utf8.count)
    return head + marker + String(repeating: "x", count: padding) + tail
}
