import Support
import TestSupport
import Testing

@testable import Domain
@testable import Ledger

/// Which language a user reads, and that fragments come in it.
@Suite(.blocking) struct LanguageTests {
    @Test func newestLanguageCounts() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        let languages = UserLanguages(writer: ledger.writer, reader: ledger.reader)
        #expect(try ledger.language("42") == nil)
        let order = try ledger.order(OrderRequest(user: "42", product: "monthly", language: LanguageTag("de")))
        #expect(try ledger.language("42")?.text == "de")
        #expect(try languages.note("pt-BR", of: "42"))
        #expect(try ledger.language("42")?.text == "pt-BR")
        let again = try ledger.order(OrderRequest(user: "42", product: "monthly", language: LanguageTag("fr")))
        #expect(again.order == order.order, "the language is no part of an order")
        #expect(try ledger.language("42")?.text == "fr")
        _ = try ledger.order(OrderRequest(user: "42", product: "monthly"))
        #expect(try ledger.language("42")?.text == "fr", "nothing was said")
        #expect(try ledger.language("4") == nil)
    }

    @Test func knownLanguageIsNotWrittenAgain() throws {
        let ledger = try TemporaryLedger(kind: .file)
        defer { ledger.remove() }
        let languages = UserLanguages(writer: ledger.writer, reader: ledger.reader)
        #expect(try languages.note("de", of: "42"))
        // It changes with each commit of another connection.
        let witness = try SQLiteConnection(path: ledger.path, access: .readOnly, lockTimeout: .seconds(1))
        let version = try witness.prepare("PRAGMA data_version")
        let before = try version.first { $0.integer(0) }
        #expect(try !languages.note("DE", of: "42"))
        #expect(try version.first { $0.integer(0) } == before)
        #expect(try languages.note("en", of: "42"))
        #expect(try version.first { $0.integer(0) } != before)
    }

    @Test(arguments: LookAlike.all) func aLookAlikeHasALanguageOfItsOwn(_ pair: LookAlike) throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        let order = OrderRequest(user: UserID(pair.one), product: "monthly", language: LanguageTag("de"))
        _ = try ledger.order(order)
        #expect(try ledger.language(UserID(pair.one))?.text == "de")
        #expect(try ledger.language(UserID(pair.other)) == nil)
    }

    /// A thief of a token says nothing about anybody.
    @Test func aRefusedOrderSaysNothing() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        let token = OrderToken.random()
        _ = try ledger.order(OrderRequest(user: "42", product: "monthly", token: token, language: LanguageTag("de")))
        let theft = OrderRequest(user: "43", product: "monthly", token: token, language: LanguageTag("fr"))
        #expect(throws: OrderError.tokenTaken) { try ledger.order(theft) }
        #expect(try ledger.language("43") == nil)
        #expect(try ledger.language("42")?.text == "de")
    }

    @Test func survivesARestartAndABackup() throws {
        let ledger = try TemporaryLedger(kind: .file)
        _ = try ledger.order(OrderRequest(user: "42", product: "monthly", language: LanguageTag("pt-BR")))
        let copy = TemporaryLedger.newPath()
        _ = try LedgerBackup.backup(of: ledger.path, to: copy)
        ledger.close()
        for path in [ledger.path, copy] {
            let again = try TemporaryLedger(at: path, kind: .file)
            #expect(try again.language("42")?.text == "pt-BR")
            again.remove()
        }
    }

    /// Live and missed: in the language of now. The order that brings it claims what was bought before.
    @Test func fragmentsComeInTheLanguageOfNow() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        let token = OrderToken.random()
        _ = try ledger.send(Fixture.subscription("e1", state: .active, token: token))
        let request = OrderRequest(user: "42", product: "monthly", token: token, language: LanguageTag("de"))
        let since = try ledger.order(request).since
        let claim = try #require(ledger.committed.all.last)
        #expect(claim.fragments.locales == ["de", "de"])
        #expect(try ledger.missed("42").items.flatMap(\.fragments) == claim.fragments)
        let languages = UserLanguages(writer: ledger.writer, reader: ledger.reader)
        _ = try languages.note("pt-BR", of: "42")
        #expect(try ledger.missed("42").items.flatMap(\.fragments).locales == ["pt-BR", "pt-BR"])
        #expect(try ledger.missed("42", since: since).items.flatMap(\.fragments).locales == ["pt-BR", "pt-BR"])
        _ = try ledger.send(Fixture.subscription("e2", state: .cancelled, minute: 1, token: token))
        #expect(try #require(ledger.committed.all.last).fragments.locales == ["pt-BR", "pt-BR"])
        _ = try ledger.rebroadcast(contracts: [], users: ["42"])
        #expect(try #require(ledger.committed.all.last).fragments.locales == ["pt-BR", "pt-BR"])
        #expect(try ledger.entries().entries.flatMap(\.fragments).locales.allSatisfy { $0 == nil }, "facts are kept")
    }

    struct Broadcast: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var stream = "user:42:paywall"
        var content: Fragment.Content
        var locale: String?
    }

    @Test(arguments: [
        Broadcast(testDescription: "a template", content: .template(name: "news", values: ["n": "1"]), locale: "de"),
        Broadcast(
            testDescription: "in a language of its own",
            content: .template(name: "news", values: ["locale": "fr"]),
            locale: "fr"
        ),
        Broadcast(
            testDescription: "in none",
            content: .template(name: "news", values: ["locale": ""]),
            locale: "de"
        ),
        Broadcast(
            testDescription: "to everybody",
            stream: "news",
            content: .template(name: "news", values: [:])
        ),
        Broadcast(
            testDescription: "to somebody else",
            stream: "user:43:paywall",
            content: .template(name: "news", values: [:])
        ),
        Broadcast(testDescription: "no template", content: .html("<p>Hi</p>")),
    ])
    func broadcastsComeInTheUsersLanguage(_ broadcast: Broadcast) throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        _ = try ledger.order(OrderRequest(user: "42", product: "monthly", language: LanguageTag("de")))
        let stream = try #require(StreamName(broadcast.stream))
        let fragment = Fragment(stream: stream, action: "update", target: "t", content: broadcast.content)
        _ = try ledger.broadcast([fragment])
        #expect(ledger.committed.all.last?.fragments.locales == [broadcast.locale])
        #expect(try ledger.written([fragment]).locales == [broadcast.locale])
    }
}

extension [Fragment] {
    fileprivate var locales: [String?] {
        map { fragment in
            guard case .template(_, let values) = fragment.content else { return nil }
            return values["locale"]
        }
    }
}

extension UserLanguages {
    /// Whether it was news.
    fileprivate func note(_ text: String, of user: UserID) throws -> Bool {
        let answer = Promise<Result<Bool, LedgerError>>()
        guard let tag = LanguageTag(text), note(tag, of: user, completion: answer.fulfil) else {
            throw LedgerError.busy
        }
        return try answer.wait().get()
    }
}

extension TemporaryLedger {
    fileprivate func language(_ user: UserID) throws -> LanguageTag? {
        try reader.answer { try $0.language(of: user) }
    }

    fileprivate func written(_ fragments: [Fragment]) throws -> [Fragment] {
        try reader.answer { try $0.written(fragments) }
    }
}
