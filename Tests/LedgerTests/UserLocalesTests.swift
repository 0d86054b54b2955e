import Support
import TestSupport
import Testing

@testable import Domain
@testable import Ledger

/// Which language a user reads, in which time zone, and that fragments come so.
@Suite(.blocking) struct UserLocalesTests {
    @Test func newestLanguageCounts() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        let locales = UserLocales(writer: ledger.writer, reader: ledger.reader)
        #expect(try ledger.language("42") == nil)
        let order = try ledger.order(OrderRequest(user: "42", product: "monthly", locale: .reading("de")))
        #expect(try ledger.language("42")?.text == "de")
        #expect(try locales.note("pt-BR", of: "42"))
        #expect(try ledger.language("42")?.text == "pt-BR")
        let again = try ledger.order(OrderRequest(user: "42", product: "monthly", locale: .reading("fr")))
        #expect(again.order == order.order, "the language is no part of an order")
        #expect(try ledger.language("42")?.text == "fr")
        _ = try ledger.order(OrderRequest(user: "42", product: "monthly"))
        #expect(try ledger.language("42")?.text == "fr", "nothing was said")
        #expect(try ledger.language("4") == nil)
    }

    @Test func knownLanguageIsNotWrittenAgain() throws {
        let ledger = try TemporaryLedger(kind: .file)
        defer { ledger.remove() }
        let locales = UserLocales(writer: ledger.writer, reader: ledger.reader)
        #expect(try locales.note("de", of: "42"))
        // It changes with each commit of another connection.
        let witness = try SQLiteConnection(path: ledger.path, access: .readOnly, lockTimeout: .seconds(1))
        let version = try witness.prepare("PRAGMA data_version")
        let before = try version.first { $0.integer(0) }
        #expect(try !locales.note("DE", of: "42"))
        #expect(try version.first { $0.integer(0) } == before)
        #expect(try locales.note("en", of: "42"))
        #expect(try version.first { $0.integer(0) } != before)
    }

    /// What is said of one leaves the other.
    @Test func timeZoneStandsBesideTheLanguage() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        let berlin = UserLocale(timeZone: TimeZoneName("Europe/Berlin"))
        _ = try ledger.order(OrderRequest(user: "42", product: "monthly", locale: berlin))
        #expect(try ledger.locale("42") == berlin)
        _ = try ledger.order(OrderRequest(user: "42", product: "monthly", locale: .reading("de")))
        #expect(try ledger.locale("42") == UserLocale.reading("de").updated(with: berlin))
        let locales = UserLocales(writer: ledger.writer, reader: ledger.reader)
        #expect(try !locales.note(berlin, of: "42"), "known already")
        let apia = UserLocale(timeZone: TimeZoneName("Pacific/Apia"))
        #expect(try locales.note(apia, of: "42"))
        #expect(try ledger.locale("42") == UserLocale.reading("de").updated(with: apia))
        #expect(try !locales.note(.unknown, of: "42"), "nothing was said")
        _ = try ledger.erase("42")
        #expect(try ledger.locale("42") == .unknown)
    }

    /// The zone in which a state change's date is written. In a broadcast, Paycast writes no dates.
    @Test func stateChangesAloneComeInTheTimeZone() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        let token = OrderToken.random()
        let locale = UserLocale(timeZone: TimeZoneName("Pacific/Apia"))
        _ = try ledger.order(OrderRequest(user: "42", product: "monthly", token: token, locale: locale))
        _ = try ledger.send(Fixture.subscription("e1", state: .active, token: token))
        let zones = ["Pacific/Apia", "Pacific/Apia"]
        #expect(try #require(ledger.committed.all.last).fragments.values("time_zone") == zones)
        let missed = try ledger.missed("42").items.flatMap(\.fragments)
        #expect(missed.values("time_zone") == zones && missed.locales == [nil, nil])
        let stored = try ledger.entries().entries.flatMap(\.fragments)
        #expect(stored.values("time_zone") == [nil, nil], "facts are kept")
        let stream = try #require(StreamName("user:42:paywall"))
        let content = Fragment.Content.template(name: "news", values: [:])
        let news = Fragment(stream: stream, action: "update", target: "t", content: content)
        #expect(try ledger.written([news]) == [news])
    }

    @Test(arguments: LookAlike.all) func aLookAlikeHasALanguageOfItsOwn(_ pair: LookAlike) throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        let order = OrderRequest(user: UserID(pair.one), product: "monthly", locale: .reading("de"))
        _ = try ledger.order(order)
        #expect(try ledger.language(UserID(pair.one))?.text == "de")
        #expect(try ledger.language(UserID(pair.other)) == nil)
    }

    /// A thief of a token says nothing about anybody.
    @Test func aRefusedOrderSaysNothing() throws {
        let ledger = try TemporaryLedger()
        defer { ledger.remove() }
        let token = OrderToken.random()
        _ = try ledger.order(OrderRequest(user: "42", product: "monthly", token: token, locale: .reading("de")))
        let theft = OrderRequest(user: "43", product: "monthly", token: token, locale: .reading("fr"))
        #expect(throws: OrderError.tokenTaken) { try ledger.order(theft) }
        #expect(try ledger.language("43") == nil)
        #expect(try ledger.language("42")?.text == "de")
    }

    @Test func survivesARestartAndABackup() throws {
        let ledger = try TemporaryLedger(kind: .file)
        _ = try ledger.order(OrderRequest(user: "42", product: "monthly", locale: .reading("pt-BR")))
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
        let request = OrderRequest(user: "42", product: "monthly", token: token, locale: .reading("de"))
        let since = try ledger.order(request).since
        let claim = try #require(ledger.committed.all.last)
        #expect(claim.fragments.locales == ["de", "de"])
        #expect(try ledger.missed("42").items.flatMap(\.fragments) == claim.fragments)
        let locales = UserLocales(writer: ledger.writer, reader: ledger.reader)
        _ = try locales.note("pt-BR", of: "42")
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
        _ = try ledger.order(OrderRequest(user: "42", product: "monthly", locale: .reading("de")))
        let stream = try #require(StreamName(broadcast.stream))
        let fragment = Fragment(stream: stream, action: "update", target: "t", content: broadcast.content)
        _ = try ledger.broadcast([fragment])
        #expect(ledger.committed.all.last?.fragments.locales == [broadcast.locale])
        #expect(try ledger.written([fragment]).locales == [broadcast.locale])
    }
}

extension UserLocale {
    fileprivate static func reading(_ language: String) -> UserLocale { UserLocale(language: LanguageTag(language)) }
}

extension [Fragment] {
    fileprivate var locales: [String?] { values("locale") }

    fileprivate func values(_ name: String) -> [String?] {
        map { fragment in
            guard case .template(_, let values) = fragment.content else { return nil }
            return values[name]
        }
    }
}

extension UserLocales {
    /// Whether it was news.
    fileprivate func note(_ language: String, of user: UserID) throws -> Bool {
        let tag: LanguageTag = try #require(LanguageTag(language))
        return try note(UserLocale(language: tag), of: user)
    }

    fileprivate func note(_ said: UserLocale, of user: UserID) throws -> Bool {
        let answer = Promise<Result<Bool, LedgerError>>()
        guard note(said, of: user, completion: answer.fulfil) else { throw LedgerError.busy }
        return try answer.wait().get()
    }
}

extension TemporaryLedger {
    fileprivate func locale(_ user: UserID) throws -> UserLocale { try reader.answer { try $0.locale(of: user) } }

    fileprivate func language(_ user: UserID) throws -> LanguageTag? { try locale(user).language }

    fileprivate func written(_ fragments: [Fragment]) throws -> [Fragment] {
        try reader.answer { try $0.written(fragments) }
    }
}
