import Domain
import Encoding
import HTTPClient
import Support
import Synchronization
import TestSupport
import Testing

/// `paycast import`: whatever is in the list, and whatever happens meanwhile.
@Suite(.blocking) struct ImportJourneyTests {
    /// A server, and a Stripe that has every subscription.
    private struct Fixture {
        let app: AppPost
        let stripe: AnsweringServer

        init(_ answer: @escaping @Sendable (AnsweringServer.Request) -> AnsweringServer.Answer = StripeList.answer)
            throws
        {
            stripe = AnsweringServer(answer)
            app = try AppPost(["PAYCAST_STRIPE_API_KEY": "rk_test_1", "PAYCAST_STRIPE_API_URL": stripe.url])
        }

        func write(_ bytes: some Sequence<UInt8>, to name: String = "list.csv") throws {
            try SmallFile.replace(app.server.folder.path + "/" + name, contents: Array(bytes))
        }

        func write(rows: ClosedRange<Int>) throws {
            try write(("user,store,id\n" + rows.map { "u\($0),stripe,sub_\($0)\n" }.joined()).utf8)
        }

        func start(_ options: String..., file: String = "list.csv") -> RunningProcess {
            app.server.paycast(["import", file] + options)
        }

        func report(_ process: RunningProcess) throws -> [String: Int64] {
            _ = try process.waitForExit(timeout: .seconds(120))
            guard case .object(let members)? = JSONNode(process.output) else { return [:] }
            return Dictionary(members.map { ($0.name ?? "", $0.value.integer ?? -1) }) { $1 }
        }
    }

    /// One of everything that people put into a list.
    @Test func eachLineIsToldAndTheImportGoesOn() throws {
        let fixture = try Fixture()
        #expect(try fixture.app.remember(fixture.app.purchase("1000000000000001", ago: 30)).status == 200)
        #expect(
            try fixture.app.post(
                "/transactions/stripe",
                members: ["subscription": "sub_7", "user": "ann"],
                isTrusted: true
            )["claim"] == "yours"
        )
        var list = Array("\u{FEFF}id,store,user\r\n".utf8)
        list += Array("1000000000000001,apple,42\r\n".utf8)  // 2
        list += Array("sub_1,stripe,\"a\r\nb\"\r\n".utf8)  // 3 and 4: no user has a line break
        list += Array("sub_2,stripe,\"a \"\"b\"\", c\"\r\n".utf8)  // 5
        list += Array("sub_3,stripe,".utf8) + [0xC3, 0x28, 10]  // 6: not UTF-8
        list += Array("sub_4,app_store,4\r\n".utf8)  // 7
        list += Array("sub_5,stripe,\"5\r\n".utf8)  // 8: a quote that nothing closes
        list += [UInt8](repeating: 120, count: 2 << 20) + [10]  // 9
        list += Array("sub_gone,stripe,6\r\n".utf8)  // 10
        list += Array("sub_7,stripe,bob\r\n".utf8)  // 11: ann's
        list += Array("cus_8,stripe,8\r\n".utf8)  // 12: no subscription
        list += Array("sub_9,stripe\r\n".utf8)  // 13
        list += Array("\r\nsub_2,stripe,\"a \"\"b\"\", c\"".utf8)  // 15: again, without a line break
        try fixture.write(list)
        let process = fixture.start("--json")
        let report = try fixture.report(process)
        #expect(try process.waitForExit() == 1)
        let expected: [String: Int64] = [
            "rows": 13, "applied": 2, "already_there": 1, "unknown": 1, "another_users": 1, "refused": 0,
            "unanswered": 0, "unread": 8,
        ]
        #expect(report == expected, "\(process.output)\(process.errors)")
        for (line, words) in [
            (3, "a quote is not closed"), (4, "a quote is not closed"), (6, "not UTF-8"),
            (7, "Choose one of apple, google, stripe"), (8, "a quote is not closed"), (9, "more than 64 KiB"),
            (10, "does not know it"), (11, "--transfer"), (12, "sub_…"), (13, "2 fields"),
        ] {
            let told = process.errors.split(separator: "\n").filter { $0.hasPrefix("line \(line): ") }
            #expect(told.count == 1 && told.first?.contains(words) == true, "\(line): \(process.errors)")
        }
        #expect(try fixture.app.entitlements(of: "42").contains(#""active":true"#))
        #expect(try fixture.app.entitlements(of: "bob").contains(#""active":false"#))
        // With the operator's word, the policy decides.
        try fixture.write("store,id,user\nstripe,sub_7,bob\n".utf8)
        #expect(try fixture.report(fixture.start("--transfer", "--json"))["applied"] == 1)
        #expect(try fixture.app.entitlements(of: "bob").contains(#""active":true"#))
    }

    @Test func jsonLinesComeFromAPipe() throws {
        let fixture = try Fixture()
        let lines = (1...3).map { #"{"user":\#($0),"store":"stripe","id":"sub_\#($0)"}"# }.joined(separator: "\n")
        let process = fixture.app.server.paycast("import", "-", "--json", input: lines)
        #expect(try fixture.report(process)["applied"] == 3, "\(process.errors)")
        #expect(!fixture.app.server.folder.names.contains { $0.hasSuffix(".progress") })
    }

    @Test func killedItGoesOnWhereItWas() throws {
        let fixture = try Fixture()
        try fixture.write(rows: 1...300)
        let first = fixture.start("--rate", "60")
        let note = {
            fixture.app.server.folder.read("list.csv.progress").flatMap { JSONNode($0)?["report"]?["rows"]?.integer }
        }
        try Deadline(.seconds(60)).wait(for: "some rows") { note() ?? 0 >= 60 }
        first.send(.kill)
        try first.waitForExit()
        let before = try #require(note())
        #expect(before < 300)
        let second = fixture.start("--rate", "1000", "--json")
        let report = try fixture.report(second)
        #expect(report["rows"] == 300 && (report["applied"] ?? 0) + (report["already_there"] ?? 0) == 300, "\(report)")
        #expect(second.errors.contains("going on at line \(before + 2), after \(before) rows"), "\(second.errors)")
        // Of a second's rows nothing was noted.
        #expect(fixture.stripe.requests.count <= 300 + 60 + 60)
        #expect(note() == nil)
    }

    /// What was passed over would be missing, and nobody would notice.
    @Test func whatWasChangedIsNotGoneOnWith() throws {
        let fixture = try Fixture()
        try fixture.write(rows: 1...300)
        let first = fixture.start("--rate", "60")
        try Deadline(.seconds(60)).wait(for: "some rows") {
            fixture.app.server.folder.read("list.csv.progress").flatMap { JSONNode($0)?["report"]?["rows"]?.integer }
                ?? 0 > 30
        }
        first.send(.kill)
        try first.waitForExit()
        func isRefused(_ options: [String], because words: String) throws {
            let process = fixture.app.server.paycast(["import", "list.csv"] + options)
            #expect(try process.waitForExit() == 1)
            #expect(process.errors.contains(words), "\(process.errors)")
            #expect(process.errors.contains("remove list.csv.progress"), "\(process.errors)")
        }
        try isRefused(["--server", ReservedPort.unused.url], because: ", asked http://")
        try isRefused(["--transfer"], because: "was without --transfer")
        try fixture.write(rows: 2...300)
        try isRefused([], because: "it is not as it was")
    }

    /// Nothing was asked there.
    @Test func aMistypedServerIsForgotten() throws {
        let fixture = try Fixture()
        try fixture.write(rows: 1...2)
        #expect(try fixture.start("--server", ReservedPort.unused.url).waitForExit() == 1)
        #expect(try fixture.report(fixture.start("--json"))["applied"] == 2)
    }

    @Test func aServerThatGoesAwayIsWaitedFor() throws {
        let fixture = try Fixture()
        try fixture.write(rows: 1...120)
        let process = fixture.start("--rate", "40", "--json")
        try Deadline(.seconds(60)).wait(for: "some rows") { fixture.stripe.requests.count > 20 }
        try fixture.app.server.stop()
        _ = try process.errorLine { $0.contains("waiting, and going on by itself") }
        try fixture.app.server.start()
        let report = try fixture.report(process)
        #expect(try process.waitForExit() == 0, "\(process.errors)")
        #expect(report["rows"] == 120)
    }

    /// Stripe wants a pause: nobody asks meanwhile.
    @Test func aStoreThatWantsAPauseGetsIt() throws {
        let pausedAt = Mutex<MonotonicTime?>(nil)
        let early = Mutex(0)
        let fixture = try Fixture { request in
            let now = monotonicNanoseconds()
            let since = pausedAt.withLock { paused -> UInt64? in
                defer { paused = paused ?? now }
                return paused.map { now - $0 }
            }
            guard let since else { return .init(429, headers: [("Retry-After", "3")]) }
            // What had been asked by then comes within the second.
            if since > 1_000_000_000, since < 2_900_000_000 { early.withLock { $0 += 1 } }
            return StripeList.answer(request)
        }
        try fixture.write(rows: 1...40)
        let process = fixture.start("--rate", "200", "--json")
        #expect(try fixture.report(process)["applied"] == 40, "\(process.errors)")
        #expect(process.errors.contains("waiting, and going on by itself: The store's API does not answer"))
        #expect(early.withLock { $0 } == 0)
    }

    /// A row of which the store tells nothing stops no other.
    @Test func oneRowThatIsNeverAnsweredIsLeft() throws {
        let fixture = try Fixture { request in
            request.path.hasSuffix("sub_2") ? .init(503, headers: [("Retry-After", "1")]) : StripeList.answer(request)
        }
        try fixture.write(rows: 1...60)
        let report = try fixture.report(fixture.start("--rate", "20", "--json"))
        #expect(report["applied"] == 59 && report["unanswered"] == 1, "\(report)")
    }

    struct Failure: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var list: String?
        var options: [String] = []
        var words: String
    }

    @Test(arguments: [
        Failure(testDescription: "no file", words: "No such file or directory"),
        Failure(testDescription: "a folder", options: [".paycast"], words: "Is a directory"),
        Failure(testDescription: "nothing", list: "", words: "the first line names the columns"),
        Failure(testDescription: "an unknown column", list: "user,store,id,plan\n", words: "“plan” is no column"),
        Failure(testDescription: "a missing column", list: "user,store\n", words: "the column id is missing"),
        Failure(
            testDescription: "another key",
            list: "user,store,id\n1,stripe,sub_1\n",
            options: ["--key", "another-key-of-somebody"],
            words: "does not know this API key"
        ),
        Failure(
            testDescription: "no server",
            list: "user,store,id\n1,stripe,sub_1\n",
            options: ["--server", ReservedPort.unused.url],
            words: "nothing answers at"
        ),
        Failure(
            testDescription: "a note that cannot be written",
            list: "user,store,id\n1,stripe,sub_1\n",
            options: ["--progress", "/nowhere/note"],
            words: "name another file with --progress"
        ),
    ]) func failsInOneLine(_ failure: Failure) throws {
        let fixture = try Fixture()
        if let list = failure.list { try fixture.write(list.utf8) }
        let isFolder = failure.options == [".paycast"]
        let process = fixture.app.server.paycast(
            ["import", isFolder ? ".paycast" : "list.csv"] + (isFolder ? ["--progress", "note"] : failure.options)
        )
        #expect(try process.waitForExit() == 1)
        #expect(process.output.isEmpty && process.errors.contains(failure.words), "\(process.errors)")
        #expect(process.errors.split(separator: "\n").count == 1, "\(process.errors)")
    }

    @Test func aTrialAsksNobody() throws {
        let fixture = try Fixture()
        try fixture.write("user,store,id\n1,stripe,sub_1\n2,stripe\n".utf8)
        let process = fixture.start("--dry-run")
        #expect(try process.waitForExit() == 1)
        #expect(process.output == "rows          2\nnot readable  1\n", "\(process.output)")
        #expect(fixture.stripe.requests.isEmpty)
    }

    /// Others' pages are told at once, and neither program grows with the list.
    @Test func othersNoticeNothing() throws {
        let fixture = try Fixture()
        try fixture.write(rows: 1...1500)
        let page = try fixture.app.page("another")
        let process = fixture.start("--rate", "1000")
        try Deadline(.seconds(60)).wait(for: "some rows") { fixture.stripe.requests.count > 50 }
        let memory = process.residentBytes ?? 0
        var slowest: UInt64 = 0
        while process.isRunning {
            let sentAt = monotonicNanoseconds()
            #expect(try fixture.app.told(page, of: "another").isEmpty)
            slowest = max(slowest, monotonicNanoseconds() - sentAt)
            if let now = process.residentBytes { #expect(now < memory + (32 << 20)) }
        }
        #expect(try process.waitForExit() == 0, "\(process.errors)")
        #expect(slowest < 5_000_000_000)
    }
}
