import CWebSockets
import Glibc
import Synchronization

/// libwebsockets ends a connection that breaks the rules, and tells only its log why. It writes each line into one buffer,
/// whichever thread it is: of two connections at a time, one may end without a reason.
enum ProtocolClues {
    private static let kinds: [(mark: String, kind: WebSocketError.Kind)] = [
        ("lws_getaddrinfo46 failed", .unknownHost), ("validity too old", .silent),
        ("illegal rsv bits", .violation("a frame has reserved bits")),
        ("illegal opcode", .violation("a frame is of an unknown kind")),
        ("disordered continuation", .violation("a frame continues no message")),
        ("owed us a FIN", .violation("a message begins inside another one")),
        ("control msg can't be fragmented", .violation("a control frame comes in parts")),
        ("asking for extended length", .violation("a control frame is longer than 125 bytes")),
        ("b63 of length", .violation("a frame has an impossible length")),
        ("utf8 error", .violation("a text is not UTF-8")),
    ]

    /// By thread: a connection is served on one.
    private static let found = Mutex<[pthread_t: WebSocketError.Kind]>([:])

    /// From now on, what libwebsockets says is read and goes nowhere else. It may be called again.
    static func listen() {
        lws_set_log_level(paycast_lws_levels) { _, line in
            // In C: a flood of pings is a flood of lines.
            guard let line, let clue = ProtocolClues.kinds.first(where: { strstr(line, $0.mark) != nil }) else {
                return
            }
            ProtocolClues.found.withLock { $0[pthread_self()] = $0[pthread_self()] ?? clue.kind }
        }
    }

    /// What was found on this thread.
    static func take() -> WebSocketError.Kind? { found.withLock { $0.removeValue(forKey: pthread_self()) } }

    /// The words with which libwebsockets reports a connection that was never opened (lib/roles of 4.1).
    private static let handshakeFaults: [(mark: String, kind: WebSocketError.Kind)] = [
        ("Unable to connect", .refused), ("getaddrinfo", .unknownHost),
        ("proxy", .proxy("it refuses, or does not speak HTTP/1.1")),
        ("SSL err", .noTLS), ("connect SYSCALL", .brokenOff), ("Timed out", .timedOut),
        ("Accept hash wrong", .handshake("Sec-WebSocket-Accept does not fit to the key")),
        ("ACCEPT missing", .handshake("Sec-WebSocket-Accept is missing")),
        ("PROTOCOL", .handshake("it speaks another subprotocol than it was asked for")),
        ("EXT", .handshake("it uses an extension that it was not offered")),
        ("UPGRADE", .handshake("Upgrade and Connection do not name a WebSocket")),
        ("Upgrade", .handshake("Upgrade and Connection do not name a WebSocket")),
        ("parsing header", .handshake("its head is malformed, or larger than 16 KiB")),
        ("HS:", .handshake("its answer is malformed")),
    ]

    /// What they mean.
    static func handshakeFault(_ words: String) -> WebSocketError.Kind {
        take() ?? handshakeFaults.first { words.contains($0.mark) }?.kind ?? .brokenOff
    }
}
