/// A statement with PostgreSQL's numbered parameters in place of `?` and `?1`, and with `"user"` in place of `user`: in the SQL
/// that both engines share, that is a column, and in PostgreSQL a reserved word.
///
/// As in SQLite, `?` is the parameter after the highest one so far (https://www.sqlite.org/lang_expr.html#varparam).
/// Quoted texts stay as they are; comments and operators with a question mark cannot be written.
enum Placeholders {
    /// `name` is what stands for a parameter.
    static func translated(_ sql: String, name: (Int) -> String = { "$\($0)" }) -> String {
        var rest = sql.unicodeScalars[...]
        var output = String.UnicodeScalarView()
        var highest = 0
        while let first = rest.popFirst() {
            switch first {
            case "?":
                let digits = rest.prefix { ("0"..."9").contains($0) }
                rest = rest.dropFirst(digits.count)
                let number = Int(String(digits)) ?? highest + 1
                highest = max(highest, number)
                output += name(number).unicodeScalars
            // A doubled quote ends one text and begins the next, which has the same result.
            case "'", "\"":
                let text = rest.prefix { $0 != first }
                rest = rest.dropFirst(text.count)
                output += [first] + text + rest.prefix(1)
                rest = rest.dropFirst()
            default:
                let word = isPartOfWord(first) ? [first] + rest.prefix(while: isPartOfWord) : [first]
                rest = rest.dropFirst(word.count - 1)
                output += word == user ? ["\""] + word + ["\""] : word
            }
        }
        return String(output)
    }

    private static let user = Array("user".unicodeScalars)

    private static func isPartOfWord(_ scalar: Unicode.Scalar) -> Bool {
        ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar) || ("0"..."9").contains(scalar) || scalar == "_"
    }
}
