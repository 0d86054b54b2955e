internal import Glibc
internal import HTTP2
internal import Runtime

/// One request of HTTP/2 on its way through a loop: our end of the pair of sockets whose other end the loop serves.
///
/// Nothing of a body is kept here but what the loop has not taken, which the client's window bounds, and nothing of an
/// answer: it is read when the client has room for it. So a client that takes nothing makes the loop's socket fill up,
/// and the loop's own rules for slow readers apply. Confined to one thread.
final class HTTP2Stream {
    let id: Int32
    let tag: UInt64
    /// What the client has been sent, for the loop's deadlines.
    let taken = Counter()
    private let descriptor: Int32
    /// What the loop has not taken: of the head, then of the body, and how much that is of the body.
    private var upload: ArraySlice<UInt8> = []
    private var waiting = 0
    /// The loop takes no more of the body.
    private var isUnwanted = false
    private var reader: AnswerReader
    private var phase = Phase.awaiting
    /// What had been sent when the deadline was set.
    private var sent = 0
    private var deadline: UInt64?

    enum Phase {
        /// The head of the answer has not come.
        case awaiting
        /// Frames wait for the client's credit or for their turn.
        case sending
        /// All that the loop has written is under way.
        case idle
    }

    /// What became of a stir at the pair.
    enum Stir {
        case nothing, ready, resumed, broken
    }

    init(id: Int32, tag: UInt64, descriptor: Int32, head: [UInt8], isHead: Bool) {
        (self.id, self.tag, self.descriptor) = (id, tag, descriptor)
        upload = head[...]
        reader = AnswerReader(isHead: isHead)
    }

    deinit {
        close(descriptor)
    }

    // MARK: The request

    /// Takes a piece of the body along. Returns how many bytes of the body have gone, or are wanted by nobody.
    func send(_ bytes: [UInt8] = []) -> Int {
        upload += bytes
        while !upload.isEmpty, !isUnwanted {
            let count = upload.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else {
                if errno == EINTR { continue }
                isUnwanted = errno != EAGAIN
                break
            }
            upload = upload.dropFirst(count)
        }
        if isUnwanted { upload = [] }
        let rest = min(upload.count, waiting + bytes.count)
        defer { waiting = rest }
        return waiting + bytes.count - rest
    }

    /// The request is over. Returns how many bytes of the body the loop has not taken, and never will.
    func abandon() -> Int {
        defer { (isUnwanted, upload, waiting) = (true, [], 0) }
        return waiting
    }

    // MARK: The answer

    /// The loop has written something, or closed.
    func stirred(_ session: ServerSession) -> Stir {
        switch phase {
        case .awaiting: return readHead(session)
        case .sending: return .nothing
        case .idle:
            phase = .sending
            session.resume(id)
            return .resumed
        }
    }

    private func readHead(_ session: ServerSession) -> Stir {
        withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { buffer in
            while true {
                switch read(buffer) {
                case .bytes(let count):
                    switch reader.receive(UnsafeRawBufferPointer(rebasing: buffer.prefix(count))) {
                    case .incomplete: continue
                    case .broken: return .broken
                    case .ready:
                        phase = .sending
                        return session.answer(id, reader) ? .ready : .broken
                    }
                case .nothing: return .nothing
                case .end, .broken: return .broken
                }
            }
        }
    }

    /// Called for frames that the client has room for.
    func pull(into buffer: UnsafeMutableRawBufferPointer) -> Pull {
        let pull = reader.pull(into: buffer) { read($0) }
        switch pull {
        case .bytes(let count, let isLast):
            taken.add(count)
            // What the client still sends would be another request to the loop.
            if isLast { isUnwanted = true }
        case .nothing: phase = .idle
        case .broken: break
        }
        return pull
    }

    private func read(_ buffer: UnsafeMutableRawBufferPointer) -> AnswerReader.Input {
        while true {
            let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
            if count > 0 { return .bytes(count) }
            if count == 0 { return .end }
            if errno == EAGAIN { return .nothing }
            if errno != EINTR { return .broken }
        }
    }

    /// Something has waited for `seconds` and the client took none of it.
    func isStalled(at now: UInt64, seconds: Int) -> Bool {
        guard case .sending = phase else {
            deadline = nil
            return false
        }
        guard let deadline, sent == taken.value else {
            deadline = now + UInt64(seconds) * 1_000_000_000
            sent = taken.value
            return false
        }
        return now >= deadline
    }
}
