import HTTP
import Pages

/// One request of HTTP/2, and the way back for its answer. Confined to the loop's thread.
///
/// Bytes that the client has no room for wait here and make the stream count as behind, so that the loop's rules for
/// slow readers apply to it.
final class HTTP2Stream: Link {
    /// The number that the client gave it.
    let id: Int32
    let line: SentRefreshes.Line
    private unowned let client: HTTP2Connection
    /// Bytes that the client has not taken, from `sent` on.
    private var output: [UInt8] = []
    private var sent = 0
    private var isOver = false
    /// How many bytes the client has been sent, for the loop's deadlines.
    private(set) var confirmedBytes: UInt64 = 0

    init(id: Int32, of client: HTTP2Connection) {
        self.id = id
        line = SentRefreshes.Line(descriptor: client.socket.line.descriptor, isShared: true)
        self.client = client
    }

    var isBehind: Bool { sent < output.count }

    private var isOpen: Bool { client.streams[id]?.stream === self }

    func begin(_ head: ResponseHead, body: [UInt8], date: String, isWhole: Bool) -> Bool {
        guard isOpen else { return false }
        isOver = isWhole
        let hasBody = !isWhole || !body.isEmpty
        guard client.session.respond(to: id, head: head, date: date, hasBody: hasBody) else { return false }
        // Shared with all who are sent the same: a client with a hundred streams would hold a hundred copies.
        output = body
        return sendOn()
    }

    func write(_ bytes: [UInt8]) -> Bool {
        guard isOpen else { return false }
        if isBehind {
            output += bytes
        } else {
            output = bytes
            sent = 0
        }
        return sendOn()
    }

    private func sendOn() -> Bool {
        client.session.resume(id)
        client.flush()
        return !client.isBroken
    }

    func finish() {
        guard isOpen, !isOver else { return }
        isOver = true
        client.session.resume(id)
        client.flush()
    }

    /// Called when the client has room for a frame.
    func pull(into buffer: UnsafeMutableRawBufferPointer) -> Pull {
        let count = min(buffer.count, output.count - sent)
        guard count > 0 || isOver else { return .nothing }
        buffer.copyBytes(from: output[sent..<(sent + count)])
        sent += count
        confirmedBytes += UInt64(count)
        guard !isBehind else { return .bytes(count, isLast: false) }
        // An open page holds memory only for bytes that are on their way to it.
        output = []
        sent = 0
        return .bytes(count, isLast: isOver)
    }

    /// Resets the stream, which the loop no longer needs.
    func abandon() {
        guard isOpen else { return }
        _ = client.remove(id)
        client.session.reset(id, reason: .cancelled)
        client.flush()
    }

    func limitUnsent(to bytes: Int32) { client.socket.limitUnsent(to: bytes) }
}
