/// A statement with PostgreSQL's numbered parameters in place of `?` and `?1`.
///
/// As in SQLite, `?` is the parameter after the highest one so far (https://www.sqlite.org/lang_expr.html#varparam).
/// Quoted texts and comments stay as they are; operators that contain a question mark cannot be written.
struct Placeholders {
    private let source: [UInt8]
    private let isShared: Bool
    private let name: (Int) -> String
    private var position = 0
    private var output: [UInt8] = []
    private var highest = 0

    static func numbered(_ sql: String) -> String { rewritten(sql, isShared: false) { "$\($0)" } }

    /// From the SQL that both engines share: there, `user` is a column, and in PostgreSQL a reserved word. `name` is what
    /// stands for a parameter.
    static func translated(_ sql: String, name: @escaping (Int) -> String = { "$\($0)" }) -> String {
        rewritten(sql, isShared: true, name: name)
    }

    private static func rewritten(_ sql: String, isShared: Bool, name: @escaping (Int) -> String) -> String {
        var rewriting = Placeholders(source: Array(sql.utf8), isShared: isShared, name: name)
        while rewriting.position < rewriting.source.count { rewriting.step() }
        return String(decoding: rewriting.output, as: UTF8.self)
    }

    private mutating func step() {
        switch source[position] {
        case UInt8(ascii: "?"): parameter()
        case UInt8(ascii: "'"): copy("'", through: "'")
        case UInt8(ascii: "\""): copy("\"", through: "\"")
        case UInt8(ascii: "$"): dollar()
        case UInt8(ascii: "-") where rest(from: position).starts(with: "--".utf8): copy("--", through: "\n")
        case UInt8(ascii: "/") where rest(from: position).starts(with: "/*".utf8): copy("/*", through: "*/")
        case let byte where isLetter(byte) || isDigit(byte): word()
        default: copy(1)
        }
    }

    private mutating func word() {
        let word = rest(from: position).prefix { isLetter($0) || isDigit($0) }
        guard isShared, word.elementsEqual("user".utf8) else { return copy(word.count) }
        output += "\"user\"".utf8
        position += word.count
    }

    private mutating func parameter() {
        position += 1
        let digits = rest(from: position).prefix { isDigit($0) }
        position += digits.count
        let number = Int(String(decoding: digits, as: UTF8.self)) ?? highest + 1
        highest = max(highest, number)
        output += name(number).utf8
    }

    /// `$tag$ … $tag$`, or a parameter that already has a number.
    private mutating func dollar() {
        let tag = rest(from: position + 1).prefix { isLetter($0) }
        let end = position + 1 + tag.count
        guard end < source.count, source[end] == UInt8(ascii: "$") else { return copy(1) }
        let quote = String(decoding: source[position...end], as: UTF8.self)
        copy(quote, through: quote)
    }

    /// A doubled quote inside a quoted text ends one text and begins the next, which has the same result.
    private mutating func copy(_ beginning: String, through end: String) {
        copy(beginning.utf8.count)
        while position < source.count, !rest(from: position).starts(with: end.utf8) { copy(1) }
        copy(min(end.utf8.count, source.count - position))
    }

    private mutating func copy(_ count: Int) {
        output += source[position..<position + count]
        position += count
    }

    private func rest(from index: Int) -> ArraySlice<UInt8> { source[min(index, source.count)...] }

    private func isDigit(_ byte: UInt8) -> Bool { (48...57).contains(byte) }

    private func isLetter(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "_") || (byte | 0x20 >= UInt8(ascii: "a") && byte | 0x20 <= UInt8(ascii: "z"))
    }
}
