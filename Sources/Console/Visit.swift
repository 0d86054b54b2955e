import Domain
import HTTP
import Pages

/// One request for a page, by somebody who has come in: all that a page works with.
struct Visit: Sendable {
    let request: Request
    let session: ConsoleSession
    let api: ConsoleAPI
    let templates: ConsoleTemplates
    let now: Instant
    /// What the settings are now, without secrets.
    let facts: @Sendable () -> [(name: String, value: String)]

    var query: Query { request.query }

    func may(_ right: Right) -> Bool { session.rights.contains(right) }

    subscript(template: String) -> ConsoleTemplate { templates[template] }

    /// A table, or what it means that it has no rows.
    func list(_ name: String, _ rows: [Markup], none: @autoclosure () -> String) -> Markup {
        rows.isEmpty ? nothing(none()) : self[name].render(["rows": rows.joined()])
    }

    func nothing(_ text: String) -> Markup { self["parts.nothing"].render(["text": text]) }

    /// The options of a choice.
    func options(_ all: [(value: String, title: String)], chosen: String) -> Markup {
        all.map { value, title in
            let name = value == chosen ? "parts.chosen" : "parts.option"
            return self[name].render(["value": Field(value), "title": title])
        }.joined()
    }

    func named(_ words: String, _ term: String?) -> Markup { templates.named(words, term) }

    /// A whole page. `title` is for the window; the body has its own `<h1>`.
    func page(_ title: String, status: Int = 200, _ body: Markup) -> Response {
        templates.page(title, status: status, session: session, address: request.head.path, body)
    }

    /// Sends the browser on, after a change.
    func redirect(to address: String) -> Response {
        Response(status: 303, headers: [("Location", address)])
    }

    func time(_ iso8601: String?, as words: (Instant) -> String = ConsoleTime.text) -> Markup {
        templates.time(iso8601, as: words)
    }
}

extension String {
    /// What a member of an answer says in ISO 8601.
    var instant: Instant? { Instant(iso8601: self) }
}

/// Dates in words.
enum ConsoleTime {
    /// `3 January 2026, 12:04 UTC`.
    static func text(_ instant: Instant) -> String { "\(instant.longDate), \(clock(instant)) UTC" }

    /// `3 January 2026, 12:04:09 UTC`.
    static func seconds(_ instant: Instant) -> String { "\(instant.longDate), \(instant.clock) UTC" }

    /// `3 January 2026, 12:04:09.250 UTC`.
    static func milliseconds(_ instant: Instant) -> String {
        let digits = String((instant.milliseconds % 1000 + 1000) % 1000 + 1000).dropFirst()
        return "\(instant.longDate), \(instant.clock).\(digits) UTC"
    }

    /// `3 Jan`, or `3 Jan 2026`.
    static func shortDay(_ instant: Instant, withYear: Bool) -> String {
        let words = instant.longDate.split(separator: " ")
        return "\(words[0]) \(words[1].prefix(3))" + (withYear ? " \(words[2])" : "")
    }

    /// `12:04`.
    static func clock(_ instant: Instant) -> String { String(instant.clock.prefix(5)) }
}

/// A page of the console. Each function runs on a thread of the console's own, and may wait.
protocol ConsolePage: Sendable {
    func show(_ visit: Visit) throws(ConsoleError) -> Response

    /// A form of this page was sent.
    func act(_ visit: Visit, form: Query) throws(ConsoleError) -> Response
}

extension ConsolePage {
    func act(_ visit: Visit, form: Query) throws(ConsoleError) -> Response {
        throw .methodNotAllowed
    }
}
