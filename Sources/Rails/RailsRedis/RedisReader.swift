import CHiredis

/// hiredis' parser, which takes only what Redis answers to a subscriber: texts, numbers, and arrays of at most four of
/// them. hiredis itself would hold any number of elements, at 72 bytes for each `:1`. Confined to one thread.
final class RedisReader {
    /// The longest text, in bytes.
    static let limit = 16 << 20
    /// The longest line, in bytes: a length, a number, or an error's text. A parser looks for its end again and again.
    private static let lineLimit = 64 << 10

    private let reader: UnsafeMutablePointer<redisReader>
    /// hiredis' own, but for the arrays.
    private let functions: UnsafeMutablePointer<redisReplyObjectFunctions>

    init() throws(BroadcastProblem) {
        guard let reader = redisReaderCreate(), let own = reader.pointee.fn else {
            throw .unreachable("out of memory")
        }
        self.reader = reader
        functions = .allocate(capacity: 1)
        functions.initialize(to: own.pointee)
        functions.pointee.createArray = { task, count in
            guard let task, task.pointee.parent == nil, count <= 4 else { return nil }
            let own = task.pointee.privdata?.assumingMemoryBound(to: redisReplyObjectFunctions.self)
            return own?.pointee.createArray(task, count)
        }
        reader.pointee.privdata = UnsafeMutableRawPointer(own)
        reader.pointee.fn = functions
    }

    deinit {
        redisReaderFree(reader)
        functions.deallocate()
    }

    /// Keeps bytes until they make a reply.
    func feed(_ bytes: UnsafeRawBufferPointer) throws(BroadcastProblem) {
        guard redisReaderFeed(reader, bytes.baseAddress, bytes.count) == REDIS_OK else { throw .notRedis }
        guard unread.count <= RedisReader.limit else { throw .tooMuch }
    }

    /// Takes the next reply that is complete.
    func next() throws(BroadcastProblem) -> RedisReply? {
        var reply: UnsafeMutableRawPointer?
        guard redisReaderGetReply(reader, &reply) == REDIS_OK else { throw .notRedis }
        guard let reply else {
            guard !isLineTooLong else { throw .notRedis }
            return nil
        }
        defer { freeReplyObject(reply) }
        return RedisReply(reply.assumingMemoryBound(to: redisReply.self).pointee)
    }

    /// The bytes since the beginning of the line or text that is not complete yet.
    private var unread: UnsafeRawBufferPointer {
        let (position, end) = (reader.pointee.pos, reader.pointee.len)
        return UnsafeRawBufferPointer(start: reader.pointee.buf.map { $0 + position }, count: end - position)
    }

    /// A text begins with the line that tells its length.
    private var isLineTooLong: Bool {
        guard unread.count > RedisReader.lineLimit else { return false }
        let line = unread.prefix(RedisReader.lineLimit)
        return !zip(line, line.dropFirst()).contains { $0 == (13, 10) }
    }
}

/// The version of the hiredis headers at build time; the library itself does not report one.
public let hiredisVersion = "\(HIREDIS_MAJOR).\(HIREDIS_MINOR).\(HIREDIS_PATCH)"

/// A reply from Redis (RESP2).
enum RedisReply: Equatable {
    /// The first word, such as `WRONGPASS`.
    case error(code: String)
    /// The elements of an array; nil for each that is not a text.
    case list([[UInt8]?])
    case other

    /// Copies what hiredis owns.
    init(_ reply: redisReply) {
        switch reply.type {
        case REDIS_REPLY_ERROR:
            let word = RedisReply.bytes(of: reply).prefix { (65...90).contains($0) }.prefix(32)
            self = .error(code: word.isEmpty ? "an error" : String(decoding: word, as: UTF8.self))
        case REDIS_REPLY_ARRAY:
            let texts = UnsafeBufferPointer(start: reply.element, count: reply.elements).map { $0?.pointee }
            self = .list(
                texts.map { text in
                    guard let text, [REDIS_REPLY_STRING, REDIS_REPLY_STATUS].contains(text.type) else { return nil }
                    return RedisReply.bytes(of: text)
                }
            )
        default: self = .other
        }
    }

    private static func bytes(of reply: redisReply) -> [UInt8] {
        Array(UnsafeRawBufferPointer(start: reply.str, count: reply.len))
    }
}
