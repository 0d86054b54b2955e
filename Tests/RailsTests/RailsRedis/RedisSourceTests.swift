import Rails
import Support
import TestSupport
import Testing

/// Against a real redis-server.
@Suite(.blocking) struct RedisSourceTests {
    private func isReady(_ listener: BroadcastListener, of inbox: BroadcastInbox) -> Bool {
        inbox.wait { _ in listener.problems.isEmpty }
    }

    @Test(arguments: [nil, "shop_production", "odd*[x]?"] as [String?])
    func takesTheStreamsOfItsPrefix(_ prefix: String?) throws {
        let (redis, inbox) = (try RedisServer(), BroadcastInbox())
        let listener = try inbox.redisListener(redis.url + "/1", prefix: prefix)
        #expect(isReady(listener, of: inbox))
        let client = try redis.client()
        let head = prefix.map { $0 + ":" } ?? ""
        for stream in ["user:42:paywall", "Z2lkOi8vc2hvcC9Vc2VyLzE"] {
            try client.send("PUBLISH", head + stream, railsJSON(update("A & B")))
        }
        if prefix != nil { try client.send("PUBLISH", "other:user:42:paywall", railsJSON(update("not ours"))) }
        try client.send("PUBLISH", head + "last", railsJSON(update("last")))
        #expect(inbox.wait { $0.texts.count == 3 })
        listener.close()
        #expect(
            inbox.now.texts == [
                "user:42:paywall markup(\"\(escaped(update("A & B")))\")",
                "Z2lkOi8vc2hvcC9Vc2VyLzE markup(\"\(escaped(update("A & B")))\")",
                "last markup(\"\(escaped(update("last")))\")",
            ]
        )
        #expect((inbox.now.starts, inbox.now.heals) == (1, 0))
        #expect(inbox.metric("paycast_redis_messages_total") == 3)
        #expect(inbox.metric("paycast_redis_connected") == 1)
    }

    @Test func connectsThroughAUnixSocket() throws {
        let folder = TemporaryFolder()
        let (redis, inbox) = (try RedisServer(["--unixsocket", folder.path + "/redis.sock"]), BroadcastInbox())
        let listener = try inbox.redisListener("unix:\(folder.path)/redis.sock")
        #expect(isReady(listener, of: inbox))
        try redis.client().send("PUBLISH", "s", railsJSON(update("1")))
        #expect(inbox.wait { $0.texts.count == 1 })
        listener.close()
    }

    @Test func orderOfAThousandIsKept() throws {
        let (redis, inbox) = (try RedisServer(), BroadcastInbox())
        let listener = try inbox.redisListener(redis.url)
        #expect(isReady(listener, of: inbox))
        try redis.client().publish((0..<1000).map { railsJSON(update("<\($0)>")) }, to: "s")
        #expect(inbox.wait { $0.texts.count == 1000 })
        listener.close()
        #expect(inbox.now.texts == (0..<1000).map { "s markup(\"\(escaped(update("<\($0)>")))\")" })
    }

    @Test func whatIsNotForPagesIsCountedAndNeverLogged() throws {
        let (redis, inbox) = (try RedisServer(), BroadcastInbox())
        let listener = try inbox.redisListener(redis.url)
        #expect(isReady(listener, of: inbox))
        let client = try redis.client()
        let huge = railsJSON(update(String(repeating: "s3cret", count: 1 << 20)))
        for payload in [#"{"s3cret":1}"#, #""s3cret""#, "s3cret", "", huge] {
            try client.send("PUBLISH", "s", payload)
        }
        try client.send("PUBLISH", "_action_cable_internal", #"{"type":"s3cret"}"#)
        try client.send("PUBLISH", "a\nb", railsJSON(update("s3cret")))
        try client.send("PUBLISH", "s", railsJSON(update("last")))
        #expect(inbox.wait { $0.texts.count == 2 })
        listener.close()
        #expect(inbox.now.texts.first == "s none", "what is too long reloads the pages of its stream")
        #expect(inbox.now.lines.contains { $0.contains("cannot be sent") && $0.contains("reason=size") })
        let counts = ["json": 4, "markup": 1, "size": 1, "channel": 1]
        for (reason, count) in counts {
            #expect(inbox.metric("paycast_redis_ignored_total{reason=\"\(reason)\"}") == count, "\(reason)")
        }
        #expect(!inbox.now.lines.joined().contains("s3cret"))
    }

    @Test func killedRedisIsAnOutageThatIsHealedOnce() throws {
        let (redis, inbox) = (try RedisServer(), BroadcastInbox())
        let listener = try inbox.redisListener(redis.url)
        #expect(isReady(listener, of: inbox))
        try redis.kill()
        #expect(inbox.wait { _ in listener.problems.contains { $0.contains("Connection refused") } })
        #expect(inbox.metric("paycast_redis_connected") == 0)
        try redis.start()
        #expect(isReady(listener, of: inbox))
        try redis.client().send("PUBLISH", "s", railsJSON(update("after")))
        #expect(inbox.wait { $0.texts.count == 1 })
        listener.close()
        #expect(inbox.now.heals == 1)
        #expect(inbox.metric("paycast_redis_outages_total") == 1)
        #expect(inbox.now.lines.filter { $0.contains("redis lost") }.count == 1)
        #expect(inbox.now.lines.filter { $0.contains("redis is back") }.count == 1)
    }

    @Test func messageThatIsTooLongIsAnOutageThatIsHealed() throws {
        let (redis, inbox) = (try RedisServer(), BroadcastInbox())
        let listener = try inbox.redisListener(redis.url)
        #expect(isReady(listener, of: inbox))
        try redis.client().send("PUBLISH", "s", String(repeating: "s3cret", count: 3 << 20))
        #expect(inbox.wait { $0.heals == 1 })
        try redis.client().send("PUBLISH", "s", railsJSON(update("after")))
        #expect(inbox.wait { $0.texts.count == 1 })
        listener.close()
        #expect(inbox.metric("paycast_redis_outages_total") == 1)
        #expect(inbox.now.lines.contains { $0.contains("redis lost") && $0.contains("more than 16 MiB") })
        #expect(!inbox.now.lines.joined().contains("s3cret"))
    }

    /// The connections stay open and nothing is refused: only the heartbeat tells.
    @Test func frozenRedisIsNoticed() throws {
        let (redis, inbox) = (try RedisServer(), BroadcastInbox())
        let listener = try inbox.redisListener(redis.url, timing: .quick(patience: .milliseconds(500)))
        #expect(isReady(listener, of: inbox))
        redis.freeze()
        #expect(inbox.wait { _ in listener.problems.contains { $0.contains("heartbeat") } })
        redis.thaw()
        #expect(inbox.wait { $0.heals >= 1 }, "a slow machine may lose it twice")
        listener.close()
    }

    @Test func redisThatComesLateIsConnected() throws {
        let redis = try RedisServer()
        try redis.kill()
        let inbox = BroadcastInbox()
        let listener = try inbox.redisListener(redis.url)
        #expect(inbox.wait { _ in listener.problems.contains { $0.contains("Connection refused") } })
        try redis.start()
        #expect(isReady(listener, of: inbox))
        listener.close()
    }

    @Test func listenerThatNobodyAnswersStopsAtOnce() throws {
        let server = SocketServer { socket in _ = try socket.readToEnd() }
        let inbox = BroadcastInbox()
        let listener = try inbox.redisListener(
            "redis://127.0.0.1:\(server.port)",
            timing: .quick(patience: .milliseconds(500))
        )
        #expect(inbox.wait { _ in listener.problems.contains { $0.contains("does not come back") } })
        let deadline = Deadline(.seconds(60))
        listener.close()
        #expect(!deadline.hasPassed)
    }

    /// Another server, and one that promises more than anybody can hold.
    @Test(arguments: ["HTTP/1.1 400 Bad Request\r\n\r\n", "*100000000\r\n:1\r\n:1\r\n"])
    func whatIsNotRedisIsTold(_ answer: String) throws {
        let server = SocketServer { try $0.send(answer) }
        let inbox = BroadcastInbox()
        let listener = try inbox.redisListener("redis://127.0.0.1:\(server.port)")
        #expect(inbox.wait { _ in listener.problems.contains { $0.contains("is not Redis") } })
        listener.close()
    }

    struct SignIn: Sendable, CustomTestStringConvertible {
        var credentials: String
        var problem: String?
        var testDescription: String { credentials }
    }

    @Test(arguments: [
        SignIn(credentials: "", problem: "it requires a password"),
        SignIn(credentials: ":wrong-pw@", problem: "refused the user or the password"),
        SignIn(credentials: "stranger:right-pw@", problem: "refused the user or the password"),
        SignIn(credentials: "mute:mute-pw@", problem: "may not run P"),
        SignIn(credentials: ":right-pw@"),
        SignIn(credentials: "default:right-pw@"),
    ]) func passwordIsChecked(_ given: SignIn) throws {
        let redis = try RedisServer([
            "--user", "default", "on", ">right-pw", "~*", "&*", "+@all", "--user", "mute", "on", ">mute-pw", "+ping",
        ])
        let inbox = BroadcastInbox()
        let listener = try inbox.redisListener("redis://\(given.credentials)127.0.0.1:\(redis.port)")
        if let problem = given.problem {
            #expect(inbox.wait { _ in listener.problems.contains { $0.contains(problem) } }, "\(listener.problems)")
        } else {
            #expect(isReady(listener, of: inbox))
        }
        listener.close()
        #expect(!(inbox.now.lines + listener.problems).joined().contains("-pw"))
    }

    /// As `paycast doctor` asks.
    @Test func oneTrialTellsWhetherBroadcastsWouldArrive() throws {
        let redis = try RedisServer()
        #expect(RedisSettings(url: try RedisURL(redis.url), prefix: "shop").problem() == nil)
        let unused = RedisSettings(url: try RedisURL("redis://127.0.0.1:\(ReservedPort.unused.number)"))
        #expect(unused.problem()?.hasPrefix("Connection refused; ") == true)
    }

    /// Without room, then rolled back, then refused for good.
    @Test func fullLedgerKeepsTheOrder() throws {
        let redis = try RedisServer()
        let inbox = BroadcastInbox(refusals: [nil, nil, .busy, .committed, .busy])
        let listener = try inbox.redisListener(redis.url)
        #expect(isReady(listener, of: inbox))
        try redis.client().publish((0..<3000).map { railsJSON(update("\($0)")) }, to: "s")
        #expect(inbox.wait { $0.texts.count == 3000 })
        listener.close()
        #expect(inbox.now.texts == (0..<3000).map { "s markup(\"\(escaped(update("\($0)")))\")" })
        #expect(inbox.now.heals == 0)
    }

    @Test func ledgerThatTakesNothingIsAProblemAndNoOutage() throws {
        let redis = try RedisServer()
        let inbox = BroadcastInbox(refusals: Array(repeating: nil, count: 40))
        let listener = try inbox.redisListener(redis.url, timing: .quick(ledgerPatience: .milliseconds(200)))
        #expect(isReady(listener, of: inbox))
        try redis.client().publish((0..<2000).map { railsJSON(update("\($0)")) }, to: "s")
        #expect(inbox.wait { _ in listener.problems.contains { $0.contains("ledger") } })
        #expect(inbox.wait { $0.texts.count == 2000 })
        #expect(isReady(listener, of: inbox))
        listener.close()
        #expect(inbox.metric("paycast_redis_outages_total") == 0)
    }

    /// They stay in Redis, and no heartbeat is missed meanwhile.
    @Test func pagesThatDoNotKeepUpStopTheReading() throws {
        let (redis, inbox) = (try RedisServer(), BroadcastInbox())
        let (keepUp, turns) = (SharedValue(true), Counter())
        let listener = try inbox.redisListener(redis.url) {
            turns.add()
            return keepUp.value
        }
        func waitForTurns(_ count: Int) -> Bool {
            let end = turns.value + count
            return inbox.wait { _ in turns.value >= end }
        }
        #expect(isReady(listener, of: inbox))
        keepUp.replace(with: false)
        // By then, none is left that was told otherwise.
        #expect(waitForTurns(2))
        try redis.client().publish((0..<10).map { railsJSON(update("\($0)")) }, to: "s")
        #expect(waitForTurns(20))
        #expect(inbox.now.texts.isEmpty)
        #expect(listener.problems.isEmpty)
        keepUp.replace(with: true)
        #expect(inbox.wait { $0.texts.count == 10 })
        listener.close()
        #expect((inbox.now.heals, inbox.metric("paycast_redis_outages_total")) == (0, 0))
    }

    @Test func broadcastThatTheLedgerRefusesIsCountedAndHealed() throws {
        let (redis, inbox) = (try RedisServer(), BroadcastInbox(refusals: [.refused]))
        let listener = try inbox.redisListener(redis.url)
        #expect(isReady(listener, of: inbox))
        try redis.client().send("PUBLISH", "s", railsJSON(update("1")))
        #expect(inbox.wait { $0.heals == 1 })
        listener.close()
        #expect(inbox.metric("paycast_redis_lost_total") == 1)
    }
}

/// As a string shows inside another value's description.
private func escaped(_ text: String) -> String { String(text.debugDescription.dropFirst().dropLast()) }
