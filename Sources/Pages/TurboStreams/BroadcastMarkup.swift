public import Domain

/// Complete `<turbo-stream>` elements as a publisher wrote them, checked only to end where they seem to end.
public struct BroadcastMarkup: Sendable, Equatable {
    public let html: String
    /// The action and target of the only element. With several elements, the action is `refresh` if one of them reloads
    /// the page, else the first one's, and both targets are nil, so that nothing collapses.
    public let action: String
    public let target: String?
    public let targets: String?

    public init(_ html: String) throws(BroadcastError) {
        var reader = MarkupReader(scanner: HTMLScanner(html))
        let elements = try reader.elements()
        guard let first = elements.first else {
            throw BroadcastError("invalid_html", "html is empty; give at least one <turbo-stream> element")
        }
        self.html = html
        action = elements.contains { $0.action == "refresh" } ? "refresh" : first.action
        target = elements.count == 1 ? first.target : nil
        targets = elements.count == 1 ? first.targets : nil
    }

    public func fragment(on stream: StreamName) -> Fragment {
        Fragment(stream: stream, action: action, target: target, targets: targets, content: .markup(html))
    }

    /// Refuses content that would break out of the `<template>` around it.
    static func checkContent(_ html: String) throws(BroadcastError) {
        var reader = MarkupReader(scanner: HTMLScanner(html))
        try reader.content()
    }
}

/// Follows the tags that decide where a fragment ends; the publisher is responsible for all others.
private struct MarkupReader {
    typealias StreamTag = (action: String, target: String?, targets: String?)

    var scanner: HTMLScanner

    mutating func elements() throws(BroadcastError) -> [StreamTag] {
        var elements: [StreamTag] = []
        while let token = try next() {
            guard token.kind == .open, scanner.isName(token.name, equalTo: "turbo-stream") else {
                if isNothing(token) { continue }
                throw refusal(
                    "without an action it must be <turbo-stream> elements and nothing else; "
                        + "wrap it in one, or give action and target",
                    at: token
                )
            }
            elements.append(try streamTag(token))
            try restOfStream(after: token)
        }
        return elements
    }

    /// Reads to the end. Every `<template>` must be closed, and every end tag must have a start tag.
    mutating func content() throws(BroadcastError) {
        var open: [HTMLToken] = []
        while let token = try next() {
            guard token.kind == .open || token.kind == .close, isTemplate(token) else { continue }
            if token.kind == .open {
                open.append(token)
            } else if open.popLast() == nil {
                throw .markup(.strayEndTag("template", line: line(of: token)))
            }
        }
        if let token = open.last { throw .markup(.unclosed("template", line: line(of: token))) }
    }

    private mutating func restOfStream(after start: HTMLToken) throws(BroadcastError) {
        var depth = 0
        var templates = 0
        while let token = try next() {
            switch token.kind {
            case .open where isTemplate(token):
                if depth == 0 { templates += 1 }
                depth += 1
                guard templates == 1 else {
                    let todo = "use another <turbo-stream> for the second one"
                    throw refusal("a <turbo-stream> has one <template>; \(todo)", at: token)
                }
            case .close where isTemplate(token):
                guard depth > 0 else { throw .markup(.strayEndTag("template", line: line(of: token))) }
                depth -= 1
            case .close where depth == 0 && scanner.isName(token.name, equalTo: "turbo-stream"): return
            default:
                guard depth > 0 || isNothing(token) else {
                    throw refusal("the content of <turbo-stream> must be inside one <template>", at: token)
                }
            }
        }
        throw .markup(.unclosed(depth > 0 ? "template" : "turbo-stream", line: line(of: start)))
    }

    private func streamTag(_ token: HTMLToken) throws(BroadcastError) -> StreamTag {
        let attributes = scanner.attributes(of: token)
        guard let action = scanner.value(of: "action", among: attributes), !action.isEmpty else { throw .missingAction }
        let target = scanner.value(of: "target", among: attributes)
        return (action, target, scanner.value(of: "targets", among: attributes))
    }

    private func isTemplate(_ token: HTMLToken) -> Bool { scanner.isName(token.name, equalTo: "template") }

    /// Counts lines from the beginning of the source, so use it for errors only.
    private func line(of token: HTMLToken) -> Int { scanner.line(at: token.range.lowerBound) }

    private func isNothing(_ token: HTMLToken) -> Bool {
        token.kind == .comment || (token.kind == .text && scanner.isBlank(token.range))
    }

    private func refusal(_ text: String, at token: HTMLToken) -> BroadcastError {
        .markup(MarkupError(line: line(of: token), text))
    }

    private mutating func next() throws(BroadcastError) -> HTMLToken? {
        do { return try scanner.next() } catch { throw .markup(error) }
    }
}
