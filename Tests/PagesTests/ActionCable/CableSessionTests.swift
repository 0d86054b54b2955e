import Encoding
import HTTP
import Testing

@testable public import Pages

extension SubscriptionID: ExpressibleByIntegerLiteral {
    public init(integerLiteral index: UInt32) { self.init(index: index, generation: 0) }
}

@Suite struct CableSessionTests {
    /// A name that nobody signed: the session does not look.
    static let identifier = #"{"channel":"Turbo::StreamsChannel","signed_stream_name":"a--b","since":"e-7"}"#

    static func command(_ name: String, identifier: String = identifier, rest: String = "") -> [UInt8] {
        Array(#"{"command":"\#(name)","identifier":\#(JSONLiteral.literal(identifier))\#(rest)}"#.utf8)
    }

    static func subscribed(limits: Limits = Limits()) throws -> CableSession {
        var session = CableSession(limits: limits)
        let name = try #require(CableIdentifier(identifier))
        #expect(session.received(command("subscribe"), now: 0) == .subscribe(name, nil))
        session.attach(1, to: name, owesHistory: false)
        return session
    }

    @Test func aPendingSubscriptionIsAnsweredOnce() throws {
        var session = try Self.subscribed()
        #expect(session.received(Self.command("subscribe"), now: 0) == nil)
        let confirmation = session.confirmation(of: 1)
        #expect(confirmation == message(type: "confirm_subscription"))
        #expect(session.confirmation(of: 1) == nil)
    }

    @Test func aConfirmedSubscriptionIsConfirmedAgain() throws {
        var session = try Self.subscribed()
        _ = session.confirmation(of: 1)
        #expect(session.received(Self.command("subscribe"), now: 0) == .send(message(type: "confirm_subscription")))
    }

    @Test func unsubscribingEndsItAndItMayComeBack() throws {
        var session = try Self.subscribed()
        #expect(session.received(Self.command("unsubscribe"), now: 0) == .unsubscribe(1))
        #expect(session.received(Self.command("unsubscribe"), now: 0) == nil)
        #expect(session.ids.isEmpty)
        let name = try #require(CableIdentifier(Self.identifier))
        #expect(session.received(Self.command("subscribe"), now: 0) == .subscribe(name, nil))
    }

    @Test func tooManySubscriptionsAreRejected() throws {
        var few = Limits()
        few.subscriptions = 1
        var session = try Self.subscribed(limits: few)
        let other = #"{"channel":"C"}"#
        let rejection = message(type: "reject_subscription", identifier: other)
        #expect(session.received(Self.command("subscribe", identifier: other), now: 0) == .send(rejection))
        #expect(session.ids == [1])
    }

    @Test func tooManyCommandsEndTheConnection() {
        var few = Limits()
        few.commandsPerMinute = 2
        var session = CableSession(limits: few)
        #expect(session.received(Array("{}".utf8), now: 59) == nil)
        #expect(session.received(Array("no JSON".utf8), now: 59) == nil)
        #expect(session.received(Self.command("ping"), now: 59) == .disconnect(.tooManyCommands))
        #expect(session.received(Array(#"{"command":"ping"}"#.utf8), now: 60) == .send(Array(#"{"type":"pong"}"#.utf8)))
    }

    struct Ignored: CustomTestStringConvertible {
        let what: String
        let text: String
        var testDescription: String { what }
    }

    static let ignored = [
        Ignored(what: "nothing", text: ""),
        Ignored(what: "no JSON", text: "subscribe"),
        Ignored(what: "an array", text: #"[{"command":"subscribe"}]"#),
        Ignored(what: "no command", text: #"{"identifier":"{}"}"#),
        Ignored(what: "an unknown command", text: #"{"command":"whisper","identifier":"{}","data":1}"#),
        Ignored(what: "a command of another kind", text: #"{"command":7,"identifier":"{}"}"#),
        Ignored(
            what: "an identifier that is an object",
            text: #"{"command":"subscribe","identifier":{"channel":"C"}}"#
        ),
        Ignored(what: "no identifier", text: #"{"command":"subscribe"}"#),
        Ignored(what: "an action of a channel", text: #"{"command":"message","identifier":"{}","data":"{}"}"#),
        Ignored(what: "a pong", text: #"{"command":"pong"}"#),
        Ignored(what: "deep nesting", text: String(repeating: #"{"command":"#, count: 4000)),
        Ignored(
            what: "an endless identifier",
            text: #"{"command":"subscribe","identifier":"\#(String(repeating: "x", count: 5000))"}"#
        ),
    ]

    @Test(arguments: ignored) func whatCannotBeServedIsIgnored(_ ignored: Ignored) {
        var session = CableSession(limits: Limits())
        #expect(session.received(Array(ignored.text.utf8), now: 0) == nil)
        #expect(session.ids.isEmpty)
    }

    @Test func historyIsAskedForWithASubscriptionOrLater() throws {
        var session = CableSession(limits: Limits())
        let name = try #require(CableIdentifier(Self.identifier))
        let rest = #","history":{"since":1755,"streams":{"user:1":{"epoch":"e","offset":9},"bad":{"offset":"x"}}}"#
        let history = CableHistory(since: 1755, places: [Array("user:1".utf8): "e-9"])
        #expect(
            session.received(Self.command("subscribe", identifier: Self.identifier, rest: rest), now: 0)
                == .subscribe(name, history)
        )
        session.attach(1, to: name, owesHistory: true)
        #expect(session.historyVerdict(of: 1, isComplete: true) == message(type: "confirm_history"))
        #expect(session.historyVerdict(of: 1, isComplete: true) == nil)
        #expect(
            session.received(Self.command("history", identifier: Self.identifier, rest: rest), now: 0)
                == .history(name, history, 1)
        )
        session.attach(2, to: name, owesHistory: true)
        #expect(session.ids == [2])
        #expect(session.historyVerdict(of: 2, isComplete: false) == message(type: "reject_history"))
    }

    @Test func historyOfWhatIsNotFollowedIsRejected() {
        var session = CableSession(limits: Limits())
        let effect = session.received(
            Self.command("history", identifier: Self.identifier, rest: #","history":{}"#),
            now: 0
        )
        #expect(effect == .send(message(type: "reject_history")))
    }

    @Test func aRestoredSubscriptionIsNotConfirmedAgain() throws {
        var session = CableSession(limits: Limits())
        session.restore(5, to: KeptSubscription(try #require(CableIdentifier(Self.identifier))))
        #expect(session.confirmation(of: 5) == nil)
        #expect(session.received(Self.command("unsubscribe"), now: 0) == .unsubscribe(5))
    }

    @Test func whatHasArrivedIsKeptAndTakesNothingBack() throws {
        let name = try #require(CableIdentifier(Self.identifier))
        var session = try Self.subscribed()
        #expect(session.kept == [KeptSubscription(name)])
        for position in [7, 6] as [Int64] { session.arrived(position, for: 1) }
        session.arrived(9, for: 2)
        #expect(session.kept == [KeptSubscription(name, arrived: 7)])
        // By a `history` that it is asked for.
        session.attach(2, to: name, owesHistory: true)
        #expect(session.kept == [KeptSubscription(name, arrived: 7)])
        var next = CableSession(limits: Limits())
        for kept in session.kept { next.restore(3, to: kept) }
        #expect(next.kept == session.kept)
    }
}

/// `{"identifier":…,"type":…}` to the byte.
private func message(type: String, identifier: String = CableSessionTests.identifier) -> [UInt8] {
    Array(#"{"identifier":\#(JSONLiteral.literal(identifier)),"type":"\#(type)"}"#.utf8)
}
