/// Any bytes as what a client sends over a WebSocket. A violated rule traps, which libFuzzer reports with its input.
///
/// Compiled together with Sources/HTTP/WebSocket into one module: see `run`.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzFrames(_ start: UnsafePointer<UInt8>?, count: Int) -> CInt {
    var input = UnsafeBufferPointer(start: start, count: count)[...]
    let limits = [0, 1, 125, 126, 1000, 65_535, 65_536, 1 << 20]
    let limit = limits[Int(input.popFirst() ?? 0) % limits.count]
    let bytes = Array(input)
    let expected = naivelyRead(bytes, limit: limit)
    rule(expected == read(bytes, limit: limit) { _ in bytes.count }, name: "all at once")
    rule(expected == read(bytes, limit: limit) { _ in 1 }, name: "byte by byte")
    rule(expected == read(bytes, limit: limit) { Int(bytes[$0]) + 1 }, name: "in pieces")
    for event in expected { checkEncoding(event) }
    return 0
}

private func rule(_ holds: Bool, name: @autoclosure () -> String) {
    guard !holds else { return }
    fatalError(name())
}

private func read(_ bytes: [UInt8], limit: Int, pieces: (Int) -> Int) -> [FrameReader.Event] {
    var reader = FrameReader(messageLimit: limit)
    var events: [FrameReader.Event] = []
    var sent = 0
    while sent < bytes.count {
        let end = min(bytes.count, sent + pieces(sent))
        events += bytes[sent..<end].withUnsafeBytes { reader.read($0) }
        sent = end
    }
    // What a reader keeps is bounded, whatever it was told.
    for child in Mirror(reflecting: reader).children {
        guard let kept = child.value as? [UInt8] else { continue }
        let bound = child.label == "message" ? limit : Frame.controlLimit
        rule(kept.count <= bound && kept.capacity <= max(64, 2 * bound + 64), name: "memory of \(child.label ?? "")")
    }
    return events
}

/// The same rules with all the bytes at hand (RFC 6455 §5.2), and no state but the position.
private func naivelyRead(_ bytes: [UInt8], limit: Int) -> [FrameReader.Event] {
    var events: [FrameReader.Event] = []
    var message: [UInt8]?
    var isText = false
    var index = 0
    while index < bytes.count {
        let (opcode, isFinal) = (bytes[index] & 15, bytes[index] & 128 != 0)
        let isControl = opcode >= 8
        let isKnown = [0, 1, 2, 8, 9, 10].contains(opcode)
        let fits = isControl ? isFinal : (opcode == 0) == (message != nil)
        guard bytes[index] & 0x70 == 0, isKnown, fits else { return events + [.failed(.protocolError)] }
        guard index + 1 < bytes.count else { return events }
        var length = UInt64(bytes[index + 1] & 127)
        guard bytes[index + 1] & 128 != 0, !isControl || length <= 125 else {
            return events + [.failed(.protocolError)]
        }
        let more = length == 127 ? 8 : length == 126 ? 2 : 0
        guard index + 6 + more <= bytes.count else { return events }
        if more > 0 {
            length = bytes[(index + 2)..<(index + 2 + more)].reduce(0) { $0 << 8 | UInt64($1) }
            guard length > (more == 2 ? 125 : 65_535), length >> 63 == 0 else {
                return events + [.failed(.protocolError)]
            }
        }
        guard isControl || length + UInt64(message?.count ?? 0) <= UInt64(limit) else {
            return events + [.failed(.messageTooBig)]
        }
        let start = index + 6 + more
        guard start + Int(length) <= bytes.count else { return events }
        let mask = bytes[(start - 4)..<start]
        let payload = (0..<Int(length)).map { bytes[start + $0] ^ mask[start - 4 + $0 % 4] }
        index = start + Int(length)
        switch opcode {
        case 8: return events + [ending(payload)]
        case 9: events.append(.ping(payload))
        case 10: events.append(.pong(payload))
        default:
            if opcode != 0 { isText = opcode == 1 }
            let joined = (message ?? []) + payload
            message = isFinal ? nil : joined
            guard isFinal else { continue }
            if isText, String(validating: joined, as: UTF8.self) == nil { return events + [.failed(.invalidPayload)] }
            events.append(isText ? .text(joined) : .binary(joined))
        }
    }
    return events
}

private func ending(_ payload: [UInt8]) -> FrameReader.Event {
    if payload.isEmpty { return .closed(answer: [0x88, 0]) }
    guard payload.count >= 2 else { return .failed(.protocolError) }
    let code = Int(payload[0]) * 256 + Int(payload[1])
    guard (1000..<5000).contains(code), !(1015..<3000).contains(code), ![1004, 1005, 1006].contains(code) else {
        return .failed(.protocolError)
    }
    guard String(validating: payload.dropFirst(2), as: UTF8.self) != nil else { return .failed(.invalidPayload) }
    return .closed(answer: [0x88, 2, payload[0], payload[1]])
}

/// What we write, masked by a client, is what we read.
private func checkEncoding(_ event: FrameReader.Event) {
    let (opcode, payload): (Opcode, [UInt8])
    switch event {
    case .text(let bytes): (opcode, payload) = (.text, bytes)
    case .binary(let bytes): (opcode, payload) = (.binary, bytes)
    case .ping(let bytes): (opcode, payload) = (.ping, bytes)
    case .pong(let bytes): (opcode, payload) = (.pong, bytes)
    case .closed, .failed: return
    }
    var frame = Frame.encode(opcode, payload: payload)
    let head = frame.count - payload.count
    rule(frame[1] & 128 == 0 && frame.suffix(payload.count).elementsEqual(payload), name: "encoded")
    frame[1] |= 128
    frame.insert(contentsOf: [0, 0, 0, 0], at: head)
    var reader = FrameReader(messageLimit: payload.count)
    rule(frame.withUnsafeBytes { reader.read($0) } == [event], name: "encoded and read")
}
