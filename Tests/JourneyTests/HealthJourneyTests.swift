import Simulator
import TestSupport
import Testing

/// `/ready` reports what happens to a running server's ledger, and nothing is answered 200 that the next start would not
/// find.
@Suite(.blocking) struct HealthJourneyTests {
    struct Loss: Sendable, CustomTestStringConvertible {
        var testDescription: String
        /// For a shell in the ledger's folder.
        var command: String
        var problem: String
        /// What undoes it; nil when nothing does.
        var cure: String?
    }

    @Test(arguments: [
        Loss(testDescription: "the ledger is deleted", command: "rm paycast.db", problem: "paycast.db is gone"),
        Loss(
            testDescription: "the ledger is moved and put back",
            command: "mv paycast.db elsewhere.db",
            problem: "paycast.db is gone",
            cure: "mv elsewhere.db paycast.db"
        ),
        Loss(
            testDescription: "the ledger is replaced by a copy and put back",
            command: "mv paycast.db elsewhere.db && cp elsewhere.db paycast.db",
            problem: "another file has taken the place of paycast.db",
            cure: "mv elsewhere.db paycast.db"
        ),
        Loss(
            testDescription: "the journal is deleted",
            command: "rm paycast.db-wal",
            problem: "paycast.db-wal is gone"
        ),
        Loss(
            testDescription: "the ledger is damaged",
            command: "dd if=/dev/urandom of=paycast.db bs=8192 seek=1 count=20 conv=notrunc status=none",
            problem: "it is damaged"
        ),
        Loss(
            testDescription: "the ledger is cut off",
            command: "truncate -s 8192 paycast.db",
            problem: "it is damaged"
        ),
    ]) func lostLedgerIsToldAndTakesNoPurchase(_ loss: Loss) throws {
        let fixture = try HealthFixture()
        try fixture.expectReady(true, saying: #""problems":[]"#)
        try fixture.run("sh", arguments: "-c", loss.command)
        try fixture.expectReady(false, saying: loss.problem)
        for id in ["second", "third", "fourth"] { #expect(try fixture.pay(id) == 503) }
        _ = try fixture.server.process.errorLine { $0.contains("ledger trouble part=") }
        let troubles = ["commit", "read", "files", "content", "checkpoint"].map {
            fixture.lines("ledger trouble part=\($0) ")
        }
        #expect(troubles.contains(1) && troubles.allSatisfy { $0 <= 1 }, "\(fixture.server.process.errors)")
        guard let cure = loss.cure else { return }
        try fixture.run("sh", arguments: "-c", cure)
        try fixture.expectReady(true, saying: #""problems":[]"#)
        #expect(try fixture.pay("second") == 200)
        #expect(fixture.lines("ledger trouble is over part=files") == 1)
        try fixture.server.restart(with: .kill)
        #expect(try fixture.pay("second") == 200)
    }

    /// What was answered 200 outlives the end that the operator did not expect.
    @Test func nothingIsAnswered200IntoADeletedLedger() throws {
        let fixture = try HealthFixture()
        try fixture.run("rm", arguments: "paycast.db")
        #expect(try fixture.pay("second") == 503, "at once, whether or not anybody has asked how it is")
    }

    /// What was answered 200 before is not lost with the name of the file.
    @Test func deletedLedgerIsRescued() throws {
        let fixture = try HealthFixture()
        #expect(try fixture.pay("second") == 200)
        try fixture.run("rm", arguments: "paycast.db")
        #expect(try fixture.pay("third") == 503)
        try fixture.server.stop(with: .terminate)
        try fixture.run(PaycastProgram.path, arguments: "restore", "paycast.db.rescued")
        try fixture.server.start()
        for id in ["first", "second"] { #expect(try fixture.outcome(of: id).contains("\"duplicate\"")) }
        #expect(try !fixture.outcome(of: "third").contains("\"duplicate\""))
    }

    @Test func deletedJournalCostsNothing() throws {
        let fixture = try HealthFixture()
        #expect(try fixture.pay("second") == 200)
        try fixture.run("rm", arguments: "paycast.db-wal")
        #expect(try fixture.pay("third") == 503)
        try fixture.server.restart(with: .kill)
        #expect(try fixture.outcome(of: "second").contains("\"duplicate\""))
        #expect(try !fixture.outcome(of: "third").contains("\"duplicate\""))
    }

    /// A limit of file sizes is a disk that refuses.
    @Test func diskThatRefusesIsToldOnceAndRecovers() throws {
        let fixture = try HealthFixture()
        let process = "\(fixture.server.process.number)"
        try fixture.run("prlimit", arguments: "--pid", process, "--fsize=1:unlimited")
        for id in 2...20 { #expect(try fixture.pay("\(id)") == 503) }
        try fixture.expectReady(false, saying: "its disk reports an error")
        #expect(try fixture.ready().status == 503)
        #expect(fixture.lines("ledger trouble part=commit") == 1)
        let counted = try fixture.metrics().split(separator: "\n").first {
            $0.contains("troubles_total{part=\"commit\"}")
        }
        #expect((counted?.split(separator: " ").last).flatMap { Int($0) } ?? 0 >= 19, "\(counted ?? "")")
        try fixture.run("prlimit", arguments: "--pid", process, "--fsize=unlimited:unlimited")
        try fixture.expectReady(true, saying: #""ready":true"#)
        #expect(try fixture.pay("2") == 200)
        _ = try fixture.server.process.errorLine { $0.contains("ledger trouble is over part=commit count=") }
        #expect(fixture.lines("ledger trouble part=commit") == 1)
    }

    /// Reading a ledger of gigabytes takes minutes, in which a load balancer asks. A column whose check is slow stands for it.
    @Test func largeLedgerKeepsNobodyWaiting() throws {
        let fixture = try HealthFixture()
        try fixture.server.stop(with: .terminate)
        let script = """
            import sqlite3
            ledger = sqlite3.connect('paycast.db')
            ledger.execute('PRAGMA ignore_check_constraints = ON')
            ledger.execute('CREATE TABLE slow (n CHECK (length(hex(zeroblob(2000000 + n))) > 0))')
            ledger.executemany('INSERT INTO slow VALUES (?)', [(n,) for n in range(20000)])
            ledger.commit()
            """
        try fixture.run("python3", arguments: "-c", script)
        try fixture.server.start()
        for _ in 1...3 { try fixture.expectReady(true, saying: #""problems":[]"#) }
        try fixture.run("rm", arguments: "paycast.db-lock")
        try fixture.expectReady(false, saying: "paycast.db-lock is gone")
    }

    /// A second server could begin beside this one.
    @Test func lostLockIsTold() throws {
        let fixture = try HealthFixture()
        try fixture.run("rm", arguments: "paycast.db-lock")
        try fixture.expectReady(false, saying: "paycast.db-lock is gone")
    }

    @Test func endingCertificateIsTold() throws {
        let certificate = try TemporaryCertificate()
        let server = try PaycastServer(["--dev"] + certificate.settings)
        let curl = RunningProcess(
            "curl",
            arguments: ["-sS", "--cacert", certificate.certificateFile, server.url + "/ready"]
        )
        #expect(try curl.waitForExit() == 0, "\(curl.errors)")
        #expect(
            curl.output.contains(#""ready":false"#) && curl.output.contains("the certificate expires on"),
            "\(curl.output)"
        )
    }

    @Test func brokenCertificateIsTold() throws {
        let certificate = try TemporaryCertificate()
        let server = try PaycastServer(["--dev"] + certificate.settings)
        let authority = certificate.folder.write(readFile(certificate.certificateFile) ?? "", to: "authority.pem")
        certificate.folder.write("", to: "certificate.pem")
        _ = try server.process.errorLine { $0.contains("certificate not renewed") }
        let curl = RunningProcess("curl", arguments: ["-sS", "--cacert", authority, server.url + "/ready"])
        #expect(try curl.waitForExit() == 0, "\(curl.errors)")
        #expect(curl.output.contains("the new certificate cannot be used"), "\(curl.output)")
    }

    @Test func storeThatRefusesIsTold() throws {
        let stripe = AnsweringServer { _ in .init(401) }
        let fixture = try WebhookFixture(
            environment: ["PAYCAST_STRIPE_API_KEY": "rk_test_0123456789", "PAYCAST_STRIPE_API_URL": stripe.url]
        ) { SimulatedStripe($0) }
        _ = try fixture.post(try fixture.delivery("customer.subscription.created"))
        let ready = RunningProcess("curl", arguments: ["-sS", fixture.server.url + "/ready"])
        #expect(try ready.waitForExit() == 0)
        #expect(
            ready.output.contains("the API of stripe refuses this server: PAYCAST_STRIPE_API_KEY"),
            "\(ready.output)"
        )
        #expect(fixture.server.process.errors.contains("store refuses provider=stripe"))
    }
}
