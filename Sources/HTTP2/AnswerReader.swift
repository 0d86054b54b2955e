/// An answer as a loop writes it, HTTP/1.1, on its way to a stream: the head is read here, the body passes through.
public struct AnswerReader: Sendable {
    public enum Step: Equatable, Sendable {
        case incomplete
        /// The head is whole: `ServerSession.answer` sends it.
        case ready
        /// No answer that could be passed on.
        case broken
    }

    /// What a read from the loop came to.
    public enum Input: Equatable, Sendable {
        case bytes(Int)
        case nothing
        case end
        case broken
    }

    private let isHead: Bool
    /// What has arrived of the head, then what came with its last piece and belongs to the body.
    private var buffer: [UInt8] = []
    /// Bytes of the body to come; nil when it ends with the connection.
    private var remaining: Int?
    private(set) var head: ResponseHead?

    /// `isHead`: the request's method was HEAD, so no body follows whatever the head says.
    public init(isHead: Bool) {
        self.isHead = isHead
    }

    public mutating func receive(_ bytes: UnsafeRawBufferPointer) -> Step {
        // Where the end may begin in what was there before.
        let start = max(0, buffer.count - 3)
        buffer += bytes
        guard let end = buffer[start...].firstRange(of: [13, 10, 13, 10]) else {
            return buffer.count > ResponseHead.limit ? .broken : .incomplete
        }
        guard let head = ResponseHead(buffer[..<end.lowerBound]) else { return .broken }
        buffer = Array(buffer[end.upperBound...])
        remaining = isHead ? 0 : head.length
        self.head = head
        return .ready
    }

    var hasBody: Bool { remaining != 0 }

    /// Fills `output` with what the body has next, with `read` when nothing waits here.
    public mutating func pull(
        into output: UnsafeMutableRawBufferPointer,
        _ read: (UnsafeMutableRawBufferPointer) -> Input
    ) -> Pull {
        let room = UnsafeMutableRawBufferPointer(rebasing: output.prefix(remaining ?? output.count))
        guard buffer.isEmpty else {
            let count = min(buffer.count, room.count)
            room.copyBytes(from: buffer[..<count])
            buffer = Array(buffer[count...])
            return pass(count)
        }
        switch read(room) {
        case .bytes(let count): return pass(count)
        case .nothing: return .nothing
        case .end: return remaining == nil ? .bytes(0, isLast: true) : .broken
        case .broken: return .broken
        }
    }

    private mutating func pass(_ count: Int) -> Pull {
        remaining = remaining.map { $0 - count }
        return .bytes(count, isLast: remaining == 0)
    }
}

extension ServerSession {
    /// Begins the answer that `reader` has read the head of. False when the session does not take it.
    public func answer(_ id: Int32, _ reader: AnswerReader) -> Bool {
        guard let head = reader.head else { return false }
        return respond(to: id, head, hasBody: reader.hasBody)
    }
}
