/// Many runs of one query, asked as one: each row says which run it answers. The server's work for a query is several
/// times that for a row.
enum BatchedQuestion {
    /// `sql`, in the SQL that both engines share, over arrays of its parameters, numbered from the first run on. `OFFSET 0` keeps the planner from joining:
    /// it plans the query as it would alone, with an index for each run
    /// (https://www.postgresql.org/docs/15/queries-table-expressions.html#QUERIES-LATERAL).
    static func sql(_ sql: String, types: [String]) -> String {
        let arrays = types.enumerated().map { "$\($0 + 1)::\($1)[]" }.joined(separator: ", ")
        let columns = types.indices.map { "p\($0 + 1)" }.joined(separator: ", ")
        return """
            SELECT answer.*, run.number
            FROM unnest(\(arrays)) WITH ORDINALITY AS run(\(columns), number)
            CROSS JOIN LATERAL (\(Placeholders.translated(sql) { "run.p\($0)" }) OFFSET 0) AS answer
            """
    }

    /// The type of each parameter; none when one of them is NULL or bytes.
    static func types(of values: [Value]) -> [String] {
        var types: [String] = []
        for value in values {
            switch value {
            case .integer: types.append("bigint")
            case .text: types.append("text")
            case .null, .bytes: return []
            }
        }
        return types
    }

    /// One array for each parameter.
    static func arrays(_ runs: [[Value]]) -> [Value] {
        (runs.first ?? []).indices.map { column in
            .text("{" + runs.map { element($0[column]) }.joined(separator: ",") + "}")
        }
    }

    /// https://www.postgresql.org/docs/15/arrays.html#ARRAYS-IO
    private static func element(_ value: Value) -> String {
        switch value {
        case .integer(let number): return "\(number)"
        case .text(let text):
            var quoted: [UInt8] = [quote]
            for byte in text.utf8 {
                if byte == quote || byte == backslash { quoted.append(backslash) }
                quoted.append(byte)
            }
            return String(decoding: quoted + [quote], as: UTF8.self)
        case .null, .bytes: return "NULL"
        }
    }

    private static let quote = UInt8(ascii: "\"")
    private static let backslash = UInt8(ascii: "\\")
}
