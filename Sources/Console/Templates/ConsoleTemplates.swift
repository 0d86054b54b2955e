import Domain
import Encoding
import Support

/// The console's templates: the files `public/console/NAME.html`, which the program carries. A file is a page, and may
/// have parts that repeat in it, each between `<part name="…">` and `</part>`: `NAME.PART` is such a part.
struct ConsoleTemplates: Sendable {
    private let templates: [String: ConsoleTemplate]

    /// Every file's templates, or all problems, each with its file.
    init(files: [String: [UInt8]]) throws(ConsoleTemplateError) {
        var templates: [String: ConsoleTemplate] = [:]
        var problems: [String] = []
        for (name, bytes) in files where name.hasSuffix(".html") {
            do {
                let page = String(name.dropLast(".html".count))
                let parts = try ConsoleTemplates.parts(of: String(decoding: bytes, as: UTF8.self))
                for (part, source) in parts {
                    templates[part.isEmpty ? page : "\(page).\(part)"] = try ConsoleTemplate(source)
                }
            } catch {
                problems.append("\(name): \(error)")
            }
        }
        guard problems.isEmpty else {
            throw ConsoleTemplateError(description: problems.sorted().joined(separator: "\n"))
        }
        self.templates = templates
    }

    var names: Set<String> { Set(templates.keys) }

    /// A template that does not exist shows as nothing; a test finds it.
    subscript(name: String) -> ConsoleTemplate {
        assert(templates[name] != nil, "no template \(name)")
        return templates[name] ?? .empty
    }

    /// A moment that a person reads: in UTC, and in the reader's zone once the script has run. Empty for none.
    func time(_ iso8601: String?, as words: (Instant) -> String = ConsoleTime.text) -> Markup {
        guard let iso8601, let instant = iso8601.instant else { return .empty }
        return self["parts.time"].render(["iso": iso8601, "text": words(instant)])
    }

    /// People's words, and behind them the term by which a log, a store or a filter knows it, unless they are the same.
    func named(_ words: String, _ term: String?) -> Markup {
        guard let term, term != words else { return self["parts.words"].render(["words": words]) }
        return self["parts.named"].render(["words": words, "term": term])
    }

    /// The page itself has an empty name.
    private static func parts(of source: String) throws(ConsoleTemplateError) -> [(name: String, source: String)] {
        var parts: [(name: String, source: String)] = []
        var page = ""
        var rest = source[...]
        while let start = range(of: "<part name=\"", in: rest) {
            page += rest[..<start.lowerBound]
            let tail = rest[start.upperBound...]
            guard let quote = range(of: "\">", in: tail), let end = range(of: "</part>", in: tail) else {
                throw ConsoleTemplateError(description: "line \(page.count { $0.isNewline } + 1): a part has no end")
            }
            let body = tail[quote.upperBound..<end.lowerBound]
            parts.append((String(tail[..<quote.lowerBound]), trimmed(body)))
            rest = tail[end.upperBound...]
        }
        return parts + [("", trimmed(page + rest))]
    }
}

/// Why templates cannot be used: one line for each problem.
struct ConsoleTemplateError: Error, CustomStringConvertible {
    let description: String
}
