import Crypto
import Encoding

/// Cuts a message into the payloads of notifications, which have fewer than 8,000 bytes of text
/// (https://www.postgresql.org/docs/15/sql-notify.html).
///
/// A payload is `epoch:position:number:index:count:data`, with the data in Base64: the database's encoding need not be
/// UTF-8, and a message may hold any byte. The data of all pieces is the message's code, then its body. Payloads
/// differ, because PostgreSQL delivers equal ones of a transaction once.
enum NotifyPieces {
    /// Larger than any body that a client may post, as the HTML of a fragment.
    static let bodyLimit = 512 << 10
    static let pieceBytes = 5700

    /// `number` identifies a message: the sender's own number times 2³², plus a count.
    static func payloads(
        of body: [UInt8],
        key: MessageKey,
        epoch: String,
        after position: Int64,
        number: Int64
    ) -> [String] {
        let sealed = key.code(of: body[...], epoch: epoch, after: position, number: number) + body
        let starts = Array(stride(from: 0, to: sealed.count, by: pieceBytes))
        return starts.enumerated().map { index, start in
            let data = Base64.encode(Array(sealed[start..<min(start + pieceBytes, sealed.count)]))
            return "\(epoch):\(position):\(number):\(index):\(starts.count):\(data)"
        }
    }
}

/// Assembles messages from notifications, which anybody may have sent. It returns the messages of this ledger's nodes
/// and drops the rest.
///
/// The notifications of one transaction arrive together, in order, so one message at a time is unfinished: a piece that
/// does not continue it replaces it.
struct MessageAssembly {
    private struct Piece {
        let epoch: Substring
        let position: Int64
        let number: Int64
        let index: Int
        let count: Int
        let data: Substring
    }

    private let epoch: String
    private let key: MessageKey
    /// Each sender's newest message, on earlier connections too.
    private(set) var heard: NewestMessageNumbers
    /// The message's code, then its body.
    private var sealed: [UInt8] = []
    /// The sender's process, the message's number, and how many pieces it has.
    private var current: (sender: Int32, number: Int64, count: Int)?
    private var next = 0

    private let own: Int64

    /// Messages of another epoch belong to another ledger in the same database, or to a past that is gone. Messages
    /// with the sender `own` are this node's own; behind a pooler, the process id does not show that.
    init(
        epoch: String,
        key: MessageKey,
        ignoring own: Int64,
        heard: NewestMessageNumbers = NewestMessageNumbers()
    ) {
        self.epoch = epoch
        self.key = key
        self.heard = heard
        self.own = own
    }

    /// The size of the unfinished message.
    var byteCount: Int { sealed.count }

    /// Returns the message if this was its last piece.
    mutating func add(_ payload: String, from sender: Int32) -> NodeMessage? {
        guard let piece = MessageAssembly.piece(payload), piece.epoch.utf8.elementsEqual(epoch.utf8),
            piece.number >> 32 != own
        else { return nil }
        if piece.index == 0 {
            current = (sender, piece.number, piece.count)
            sealed = []
            next = 0
        }
        guard let current, current == (sender, piece.number, piece.count), piece.index == next,
            let data = Base64.decode(String(piece.data)),
            sealed.count + data.count <= MessageKey.codeBytes + NotifyPieces.bodyLimit
        else {
            giveUp()
            return nil
        }
        sealed += data
        next += 1
        guard next == piece.count else { return nil }
        defer { giveUp() }
        return message(after: piece.position, number: piece.number)
    }

    private mutating func message(after position: Int64, number: Int64) -> NodeMessage? {
        guard sealed.count >= MessageKey.codeBytes else { return nil }
        let body = sealed[MessageKey.codeBytes...]
        let code = key.code(of: body, epoch: epoch, after: position, number: number)
        guard constantTimeCompare(code, with: sealed[..<MessageKey.codeBytes]), heard.take(number) else { return nil }
        return NodeMessage(body: Array(body), position: position)
    }

    private mutating func giveUp() {
        current = nil
        sealed = []
    }

    private static func piece(_ payload: String) -> Piece? {
        let fields = payload.split(separator: ":", omittingEmptySubsequences: false)
        guard fields.count == 6, let position = Int64(fields[1]), let number = Int64(fields[2]),
            let index = Int(fields[3]), let count = Int(fields[4]), count > 0
        else { return nil }
        return Piece(
            epoch: fields[0],
            position: position,
            number: number,
            index: index,
            count: count,
            data: fields[5]
        )
    }
}
