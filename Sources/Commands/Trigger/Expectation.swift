import API
import Domain
import Support

/// A fragment that a page must receive.
enum Expectation: Equatable, CustomStringConvertible {
    /// The fragment's name, such as `success`, and optionally the id of the element that it replaces.
    case fragment(FragmentName, target: String?)
    case text(String)

    /// Parses `NAME` or `TARGET:NAME`; the error says what is wrong.
    init(_ text: String) throws(CommandFailure) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        let names = FragmentName.allCases.map(\.rawValue)
        guard parts.count <= 2, let last = parts.last, let name = FragmentName(rawValue: last) else {
            let hint = suggestion(for: parts.last ?? "", among: names)
            throw CommandFailure("no fragment is named \(quoted(text))" + hint)
        }
        self = .fragment(name, target: parts.count == 2 ? parts[0] : nil)
    }

    /// Whether a message meets this: `html` is its markup, `fragments` what the feed says is in it (`paywall:success`).
    func isMet(by html: String, fragments: [String]) -> Bool {
        switch self {
        case .text(let text): html.contains(text)
        case .fragment(let name, let wanted):
            fragments.contains { fragment in
                let target = fragment.prefix { $0 != ":" }
                return fragment.dropFirst(target.count + 1) == name.rawValue && (wanted ?? String(target)) == target
                    && html.contains("target=\"\(target)\"")
            }
        }
    }

    /// Whether the feed names the fragment, but its markup did not arrive: the server has no template for it.
    func isNamed(in message: PageWatch.Message) -> Bool {
        guard case .fragment(let name, let wanted) = self, message.html.contains(#"action="refresh""#) else {
            return false
        }
        return message.fragments.contains { $0.hasSuffix(":\(name.rawValue)") && $0.hasPrefix(wanted ?? "") }
    }

    /// The message that shows it after all of these: nothing newer has replaced its element.
    func isMet(inTheEndOf messages: [PageWatch.Message]) -> PageWatch.Message? {
        guard case .fragment(_, let wanted) = self else {
            return messages.last { isMet(by: $0.html, fragments: $0.fragments) }
        }
        var newest: [Substring: PageWatch.Message] = [:]
        for message in messages {
            for fragment in message.fragments {
                let target = fragment.prefix { $0 != ":" }
                newest[target] = PageWatch.Message(html: message.html, fragments: [fragment])
            }
        }
        let messages = newest.filter { wanted == nil || $0.key == wanted ?? "" }.sorted { $0.key < $1.key }
        return messages.lazy.map(\.value).first { isMet(by: $0.html, fragments: $0.fragments) }
    }

    var description: String {
        switch self {
        case .fragment(let name, let target): target.map { "\($0):\(name.rawValue)" } ?? name.rawValue
        case .text(let text): quoted(text)
        }
    }
}

extension RemoteServer {
    /// Waits until every address of the app's backend has accepted the newest state of `user`. `cursor` is that of the newest
    /// event; nil if its answer did not say.
    func waitForHooks(of user: String, from cursor: Cursor?, timeout: Duration) throws(CommandFailure) {
        let deadline = ContinuousClock.now + timeout
        let waker = Waker()
        while true {
            let query = queryString([("user", user)])
            let answer: HookDeliveriesAnswer = try get("/hooks/deliveries" + query, saying: "what the backend was told")
            let missing = answer.deliveries.first { $0.state != "delivered" }
            let isTold = answer.deliveries.contains { told in
                guard let cursor, let position = Cursor(told.cursor)?.position else { return true }
                return position >= cursor.position
            }
            if missing == nil, isTold { return }
            guard ContinuousClock.now < deadline else {
                throw CommandFailure(
                    missing.map { "\($0.url) has not accepted it: \($0.reason ?? "no answer yet")" }
                        ?? "nothing was told to a backend: see “paycast hooks”; an event that changes nothing is not told"
                )
            }
            waker.wait(timeout: .milliseconds(50))
        }
    }
}
