import Simulator
import TestSupport
import Testing

/// What happens to a running server's ledger is told by `/ready`, and nothing is answered 200 that the next start would not
/// find.
@Suite(.timeLimit(.minutes(10))) struct HealthJourneyTests {
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
        let scene = try HealthScene()
        try scene.expectReady(true, #""problems":[]"#)
        try scene.run("sh", "-c", loss.command)
        try scene.expectReady(false, loss.problem)
        for id in ["second", "third", "fourth"] { #expect(try scene.pay(id) == 503) }
        let troubles = ["commit", "read", "files", "content", "checkpoint"].map {
            scene.lines("ledger trouble part=\($0) ")
        }
        #expect(troubles.contains(1) && troubles.allSatisfy { $0 <= 1 }, "\(scene.server.process.errors)")
        guard let cure = loss.cure else { return }
        try scene.run("sh", "-c", cure)
        try scene.expectReady(true, #""problems":[]"#)
        #expect(try scene.pay("second") == 200)
        #expect(scene.lines("ledger trouble is over part=files") == 1)
        try scene.server.restart(with: .kill)
        #expect(try scene.pay("second") == 200)
    }

    /// What was answered 200 outlives the end that the operator did not expect.
    @Test func nothingIsAnswered200IntoADeletedLedger() throws {
        let scene = try HealthScene()
        try scene.run("rm", "paycast.db")
        #expect(try scene.pay("second") == 503, "at once, whether or not anybody has asked how it is")
    }

    /// What was answered 200 before is not lost with the name of the file.
    @Test func deletedLedgerIsRescued() throws {
        let scene = try HealthScene()
        #expect(try scene.pay("second") == 200)
        try scene.run("rm", "paycast.db")
        #expect(try scene.pay("third") == 503)
        try scene.server.stop(with: .terminate)
        try scene.run(PaycastProgram.path, "restore", "paycast.db.rescued")
        try scene.server.start()
        for id in ["first", "second"] { #expect(try scene.outcome(of: id).contains("\"duplicate\"")) }
        #expect(try !scene.outcome(of: "third").contains("\"duplicate\""))
    }

    @Test func deletedJournalCostsNothing() throws {
        let scene = try HealthScene()
        #expect(try scene.pay("second") == 200)
        try scene.run("rm", "paycast.db-wal")
        #expect(try scene.pay("third") == 503)
        try scene.server.restart(with: .kill)
        #expect(try scene.outcome(of: "second").contains("\"duplicate\""))
        #expect(try !scene.outcome(of: "third").contains("\"duplicate\""))
    }

    /// A limit of file sizes is a disk that refuses.
    @Test func diskThatRefusesIsToldOnceAndRecovers() throws {
        let scene = try HealthScene()
        let process = "\(scene.server.process.number)"
        try scene.run("prlimit", "--pid", process, "--fsize=1:unlimited")
        for id in 2...20 { #expect(try scene.pay("\(id)") == 503) }
        try scene.expectReady(false, "ledger: its disk refuses")
        #expect(try scene.ready().status == 503)
        #expect(scene.lines("ledger trouble part=commit") == 1)
        let counted = try scene.metrics().split(separator: "\n").first {
            $0.contains("troubles_total{part=\"commit\"}")
        }
        #expect((counted?.split(separator: " ").last).flatMap { Int($0) } ?? 0 >= 19, "\(counted ?? "")")
        try scene.run("prlimit", "--pid", process, "--fsize=unlimited:unlimited")
        try scene.expectReady(true, #""ready":true"#)
        #expect(try scene.pay("2") == 200)
        _ = try scene.server.process.errorLine { $0.contains("ledger trouble is over part=commit count=") }
        #expect(scene.lines("ledger trouble part=commit") == 1)
    }

    /// A second server could begin beside this one.
    @Test func lostLockIsTold() throws {
        let scene = try HealthScene()
        try scene.run("rm", "paycast.db-lock")
        try scene.expectReady(false, "paycast.db-lock is gone")
    }

    @Test func endingCertificateIsTold() throws {
        let certificate = try TemporaryCertificate()
        let server = try PaycastServer(["--dev"] + certificate.settings)
        let curl = RunningProcess("curl", ["-sS", "--cacert", certificate.certificateFile, server.url + "/ready"])
        #expect(try curl.waitForExit() == 0, "\(curl.errors)")
        #expect(
            curl.output.contains(#""ready":false"#) && curl.output.contains("the certificate ends on"),
            "\(curl.output)"
        )
    }

    @Test func brokenCertificateIsTold() throws {
        let certificate = try TemporaryCertificate()
        let server = try PaycastServer(["--dev"] + certificate.settings)
        let authority = certificate.folder.write(readFile(certificate.certificateFile) ?? "", to: "authority.pem")
        certificate.folder.write("", to: "certificate.pem")
        _ = try server.process.errorLine { $0.contains("certificate not renewed") }
        let curl = RunningProcess("curl", ["-sS", "--cacert", authority, server.url + "/ready"])
        #expect(try curl.waitForExit() == 0, "\(curl.errors)")
        #expect(curl.output.contains("certificate not renewed, the last good one is shown"), "\(curl.output)")
    }

    @Test func storeThatRefusesIsTold() throws {
        let stripe = AnsweringServer { _ in .init(401) }
        let scene = try WebhookScene(
            environment: ["PAYCAST_STRIPE_API_KEY": "rk_test_0123456789", "PAYCAST_STRIPE_API_URL": stripe.url]
        ) { SimulatedStripe(secret: $0.storeSecrets.stripe) }
        _ = try scene.post(try scene.delivery("customer.subscription.created"))
        let ready = RunningProcess("curl", ["-sS", scene.server.url + "/ready"])
        #expect(try ready.waitForExit() == 0)
        #expect(
            ready.output.contains("the API of stripe refuses this server: PAYCAST_STRIPE_API_KEY"),
            "\(ready.output)"
        )
        #expect(scene.server.process.errors.contains("store refuses provider=stripe"))
    }
}
