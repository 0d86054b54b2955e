internal import Foundation

/// How a value stands in a file: one line with the format's version, the length and a checksum, then JSON.
///
///     paycast-kit 1 532 a1b2c3d4e5f60718
///     {"transaction":…}
///
/// A file that was cut or changed anywhere is recognised; a file of an older version is migrated while it is read.
enum Envelope {
    static let version = 1
    private static let name = "paycast-kit"

    enum Damage: Error, Equatable {
        case header
        case length
        case checksum
        case content
        /// Written by a newer app than the one that runs. The file is left alone.
        case newer(Int)
    }

    static func seal(_ value: some Encodable) throws -> Data {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .millisecondsSince1970
        encoder.outputFormatting = .sortedKeys
        let body = try encoder.encode(value)
        return Data("\(name) \(version) \(body.count) \(hex(checksum(body)))\n".utf8) + body
    }

    static func open<Value: Decodable>(_ bytes: Data, as type: Value.Type) throws(Damage) -> Value {
        guard let header = Header(bytes) else { throw .header }
        guard header.version <= version else { throw .newer(header.version) }
        let body = Data(bytes[header.end...])
        guard body.count == header.length else { throw .length }
        guard hex(checksum(body)) == header.checksum else { throw .checksum }
        return try decode(migrate(body, from: header.version))
    }

    /// The version of the format that it was written in. Nil for what was never sealed.
    static func version(of bytes: Data) -> Int? { Header(bytes)?.version }

    private struct Header {
        var version: Int
        var length: Int
        var checksum: String
        /// Where the body begins.
        var end: Data.Index

        init?(_ bytes: Data) {
            guard let newline = bytes.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
            let words = String(decoding: bytes[..<newline], as: UTF8.self).split(separator: " ")
            guard words.count == 4, words[0] == name, let version = Int(words[1]), let length = Int(words[2]) else {
                return nil
            }
            (self.version, self.length, checksum, end) = (version, length, String(words[3]), newline + 1)
        }
    }

    private static func decode<Value: Decodable>(_ body: Data) throws(Damage) -> Value {
        do {
            return try decoder.decode(Value.self, from: body)
        } catch {
            throw .content
        }
    }

    static var decoder: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .millisecondsSince1970
        return decoder
    }

    /// One step for each version that was ever shipped. There is one version so far.
    private static func migrate(_ body: Data, from written: Int) -> Data {
        body
    }

    /// FNV-1a (http://www.isthe.com/chongo/tech/comp/fnv/): it guards against torn writes, not against people.
    private static func checksum(_ bytes: Data) -> UInt64 {
        bytes.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    }

    private static func hex(_ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
