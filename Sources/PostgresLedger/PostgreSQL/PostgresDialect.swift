/// Turns the SQL that both engines have in common into PostgreSQL's: `?` and `?1` become `$1`, or another name of the
/// parameter, and the column `user`, a reserved word there, is quoted.
enum PostgresDialect {
    static func translated(_ sql: String, parameter: (Int) -> String = { "$\($0)" }) -> String {
        var result: [UInt8] = []
        var rest = Array(sql.utf8)[...]
        var last = 0
        while let byte = rest.first {
            switch byte {
            case UInt8(ascii: "'"), UInt8(ascii: "\""): take(quoted(rest), from: &rest, to: &result)
            case UInt8(ascii: "?"):
                rest.removeFirst()
                let digits = rest.prefix { (48...57).contains($0) }
                rest.removeFirst(digits.count)
                last = Int(String(decoding: digits, as: UTF8.self)) ?? last + 1
                result += parameter(last).utf8
            case _ where isWordByte(byte):
                let word = rest.prefix(while: isWordByte)
                let isColumn = word.elementsEqual("user".utf8)
                result += isColumn ? Array("\"user\"".utf8) : Array(word)
                rest.removeFirst(word.count)
            default: take(1, from: &rest, to: &result)
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static func take(_ count: Int, from rest: inout ArraySlice<UInt8>, to result: inout [UInt8]) {
        result += rest.prefix(count)
        rest.removeFirst(min(count, rest.count))
    }

    /// The length of a text or a name with its quotes.
    private static func quoted(_ rest: ArraySlice<UInt8>) -> Int {
        let end = rest.dropFirst().firstIndex(of: rest[rest.startIndex]) ?? rest.index(before: rest.endIndex)
        return end - rest.startIndex + 1
    }

    private static func isWordByte(_ byte: UInt8) -> Bool {
        (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte) || byte == UInt8(ascii: "_")
    }
}
