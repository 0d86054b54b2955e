import Encoding

/// As ActiveSupport encodes what Turbo broadcasts.
public func railsJSON(_ html: String) -> String {
    let escapes: [(String, String)] = [
        ("<", "\\u003c"), (">", "\\u003e"), ("&", "\\u0026"), ("\u{2028}", "\\u2028"), ("\u{2029}", "\\u2029"),
    ]
    return escapes.reduce(JSONLiteral.literal(html)) { json, escape in
        json.split(separator: escape.0, omittingEmptySubsequences: false).joined(separator: escape.1)
    }
}

/// As Turbo's helper renders it.
public func update(_ text: String) -> String {
    "<turbo-stream action=\"update\" target=\"notice\"><template>\(text)</template></turbo-stream>"
}
