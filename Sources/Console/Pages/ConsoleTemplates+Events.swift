import APIModel
import Crypto
import Domain
import Encoding

extension FeedItem {
    /// What replaces the chip of an event that nobody had: a mark that all of a contract's share.
    var mark: String? {
        guard let contract else { return nil }
        let name = [provider, environment, contract].map { $0 ?? "" }.joined(separator: "\u{1F}")
        return "doubt-" + Hex.encode(SHA256.hash(Array(name.utf8))).prefix(16)
    }
}

/// Committed events as rows of a table, on every page that lists them, and in the live list.
extension ConsoleTemplates {
    /// `none` says what it means that there are none. A table with a name stays, since more come.
    func table(_ items: [FeedItem], caption: String, none: String, name: String = "") -> Markup {
        let note = items.isEmpty ? self["parts.nothing"].render(["text": none]) : .empty
        guard !items.isEmpty || !name.isEmpty else { return note }
        let table = self["events.table"].render([
            "caption": caption, "name": name, "rows": items.map(row).joined(),
        ])
        return note + table
    }

    func row(_ item: FeedItem) -> Markup {
        self["events.row"].render([
            // With seconds, which tell the events of one minute apart.
            "cursor": item.cursor, "at": time(item.at, as: ConsoleTime.seconds), "store": StoreWords.source(item),
            "id": Field.part(item.cursor),
            "title": EventNames.title(item.kind), "words": EventNames.ownWords(item) ?? item.kind,
            "outcome": chip(item), "user": item.isErased ? named("erased user", nil) : user(item.user),
            "product": item.product,
        ])
    }

    func chip(_ item: FeedItem) -> Markup {
        guard let outcome = StoreWords.outcome(of: item) else { return .empty }
        let mark = item.outcome == Outcome.unclaimed.rawValue ? item.mark : nil
        return chip(outcome.words, tone: outcome.tone, mark: mark)
    }

    func chip(_ word: String, tone: String, mark: String? = nil) -> Markup {
        self["events.chip"].render(["word": word, "tone": tone, "mark": mark])
    }

    func user(_ user: UserID?) -> Markup {
        guard let user, !user.text.isEmpty else { return .empty }
        return self["events.user"].render(["address": Field.part(user), "name": user.text])
    }
}
