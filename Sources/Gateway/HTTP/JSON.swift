internal import FoundationEssentials

/// The only place that uses the JSON library, and only to write: `Encoding` reads JSON from outside, strictly.
public enum JSON {
    /// Sorts keys, so that equal answers have equal bytes. Members are `snake_case`, as in the public interface.
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
