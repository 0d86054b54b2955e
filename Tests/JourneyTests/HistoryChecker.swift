/// Judges what clients were told of a ledger, after the manner of Jepsen (https://jepsen.io): the run gathers what
/// happened, and this compares it with the log that is there afterwards. Pure.
///
///     answers ⊆ log          each 200 is in the log, once, at the cursor that was answered
///     frames = prefix        a page shows what follows its first cursor, in order, without a hole or a repetition
///     cursor → one event     whoever names a cursor means the same event by it
struct HistoryChecker: Sendable {
    struct Answer: Sendable {
        var event: String
        /// Nil when the connection ended before there was one.
        var status: Int?
        /// Of an answer that says that it is in.
        var cursor: String?
    }

    /// What a page was sent at once.
    struct Frame: Sendable {
        /// Nil where the protocol tells pages none.
        var cursor: String?
        /// In the order of the message. When a page catches up, several come together, and the cursor is the last one's.
        var events: [String]
    }

    /// A page, over all of its connections.
    struct Page: Sendable {
        enum Kind: Sendable {
            /// Every event is an element of its own.
            case everything
            /// All events change the same element, so what lies in between may be left out.
            case newest
        }

        var name: String
        /// Where it began; nil for the log's beginning.
        var since: String?
        var kind = Kind.everything
        var frames: [Frame] = []
        /// Whether it was open until everything had been written, and so must have all of it.
        var isCurrent = true
    }

    struct Entry: Sendable {
        var cursor: String
        var event: String
        /// Whether pages are sent it.
        var isShown = true
    }

    enum Violation: Equatable, Sendable {
        /// It was answered 200.
        case missing(event: String)
        case answeredElsewhere(event: String, cursor: String)
        case committedTwice(event: String)
        case twoEvents(cursor: String)
        /// It is not in the log.
        case phantom(event: String, page: String)
        case repeated(event: String, page: String)
        /// An older one after a newer one.
        case backwards(event: String, page: String)
        case hole(before: String, page: String)
        /// The cursor of a frame is not its last event's.
        case wrongCursor(String, page: String)
        case notCurrent(page: String)
    }

    /// In the order of commits.
    var log: [Entry]
    var answers: [Answer] = []
    var pages: [Page] = []

    var violations: [Violation] { logViolations + answerViolations + cursorViolations + pages.flatMap(violations) }

    private var logViolations: [Violation] {
        var seen: Set<String> = []
        return log.filter { !seen.insert($0.event).inserted }.map { .committedTwice(event: $0.event) }
    }

    private var answerViolations: [Violation] {
        let places = Dictionary(log.map { ($0.event, $0.cursor) }) { first, _ in first }
        return answers.filter { $0.status.map { 200..<300 ~= $0 } ?? false }.compactMap { answer in
            guard let place = places[answer.event] else { return .missing(event: answer.event) }
            guard let cursor = answer.cursor, cursor != place else { return nil }
            return .answeredElsewhere(event: answer.event, cursor: cursor)
        }
    }

    var cursorViolations: [Violation] {
        // A page that has caught up is at the log's end, which may be something that no page is sent.
        let hidden = Set(log.filter { !$0.isShown }.map(\.cursor))
        let shown = pages.flatMap(\.frames).compactMap { frame -> Entry? in
            guard let cursor = frame.cursor, !hidden.contains(cursor) else { return nil }
            return frame.events.last.map { Entry(cursor: cursor, event: $0) }
        }
        let answered = answers.compactMap { answer in
            answer.cursor.map { Entry(cursor: $0, event: answer.event) }
        }
        var names: [String: Set<String>] = [:]
        for entry in log + shown + answered { names[entry.cursor, default: []].insert(entry.event) }
        return names.filter { $0.value.count > 1 }.keys.sorted().map { .twoEvents(cursor: $0) }
    }
}

extension HistoryChecker {
    /// How many of the log's entries a page with this cursor has been sent; nil for a cursor that is not the log's.
    private func count(through cursor: String) -> Int? {
        log.firstIndex { $0.cursor == cursor }.map { index in log[...index].count { $0.isShown } }
    }

    /// The first of each page: what follows it says nothing new.
    private func violations(of page: Page) -> [Violation] {
        let stream = log.filter(\.isShown)
        let places = Dictionary(stream.enumerated().map { ($1.event, $0) }) { first, _ in first }
        var next = page.since.flatMap { count(through: $0) } ?? 0
        var shown: Set<String> = []
        for frame in page.frames {
            for event in frame.events {
                guard shown.insert(event).inserted else { return [.repeated(event: event, page: page.name)] }
                guard let place = places[event] else { return [.phantom(event: event, page: page.name)] }
                guard place >= next else { return [.backwards(event: event, page: page.name)] }
                guard page.kind == .newest || place == next else { return [.hole(before: event, page: page.name)] }
                next = place + 1
            }
            guard let cursor = frame.cursor, !frame.events.isEmpty else { continue }
            guard count(through: cursor) == next else { return [.wrongCursor(cursor, page: page.name)] }
        }
        return page.isCurrent && next != stream.count ? [.notCurrent(page: page.name)] : []
    }
}
