internal import FoundationEssentials

/// The one place that knows the JSON library, which writes only: what comes from outside is read by `Encoding`, strictly.
public enum JSON {
    /// Sorted keys: answers are the same bytes every time. Members are `snake_case`, as the public interface spells them.
    public static func encode(_ value: some Encodable) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Our own structs of strings, numbers and booleans cannot fail to encode.
        return (try? encoder.encode(value)).map(Array.init) ?? Array("{}".utf8)
    }

    public static func response(_ status: Int, _ value: some Encodable) -> Response {
        Response(status: status, headers: [("Content-Type", "application/json")], body: encode(value))
    }
}
