internal import CHiredis

/// A reply from Redis (RESP2).
enum RedisReply: Equatable {
    case text([UInt8])
    case integer(Int)
    /// The first word, such as `WRONGPASS`.
    case error(code: String)
    case nothing
    case list([RedisReply])

    /// Copies what hiredis owns. hiredis refuses lists that nest deeper than nine levels as a protocol error.
    init(_ reply: redisReply) {
        switch reply.type {
        case REDIS_REPLY_STRING, REDIS_REPLY_STATUS: self = .text(RedisReply.bytes(of: reply))
        case REDIS_REPLY_INTEGER: self = .integer(Int(reply.integer))
        case REDIS_REPLY_ERROR:
            let word = RedisReply.bytes(of: reply).prefix { (65...90).contains($0) }.prefix(32)
            self = .error(code: word.isEmpty ? "an error" : String(decoding: word, as: UTF8.self))
        case REDIS_REPLY_ARRAY:
            let elements = UnsafeBufferPointer(start: reply.element, count: reply.elements)
            self = .list(elements.map { $0.map { RedisReply($0.pointee) } ?? .nothing })
        default: self = .nothing
        }
    }

    var bytes: [UInt8]? {
        guard case .text(let bytes) = self else { return nil }
        return bytes
    }

    private static func bytes(of reply: redisReply) -> [UInt8] {
        Array(UnsafeRawBufferPointer(start: reply.str, count: reply.len))
    }
}
