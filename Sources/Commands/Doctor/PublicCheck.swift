import APIModel
import Domain
import HTTPClient
import Stores
import Support

/// Whether pages work through the public address and the proxies in front of it: opens one of each kind, and publishes
/// something that only they can see.
struct PublicCheck {
    private static let user = "paycast-doctor"
    private static let time = Duration.seconds(5)

    private let remote: RemoteServer
    /// The `http` or `https` form, without a trailing slash.
    private let address: String
    /// The origin of the pages; nil if they are the server's own.
    private let page: String?
    private let authorityFile: String?
    /// How long the pages are left alone, to see whether they are cut.
    private let patience: Duration?

    /// Nil without `--public`.
    init?(_ arguments: inout Arguments, remote: RemoteServer) throws(UsageError) {
        let address = try arguments.option("--public")
        page = try arguments.option("--origin").map { text throws(UsageError) in
            try pageAddress(text, of: "--origin")
        }
        authorityFile = try readableFile(&arguments, "--ca")
        patience = try arguments.number("--patient", in: 1...3600).map { .seconds($0) }
        guard let address else {
            let needless =
                page != nil ? "--origin" : authorityFile != nil ? "--ca" : patience != nil ? "--patient" : nil
            if let needless { throw UsageError("\(needless) needs --public URL") }
            return nil
        }
        self.address = try pageAddress(address, of: "--public")
        self.remote = remote.trusting(authorityFile)
    }

    func findings() throws(CommandFailure) -> [Finding] {
        let stream = try remote.page(of: PublicCheck.user)
        let front: HTTPClient.Response
        do throws(HTTPClientError) {
            front = try HTTPClient(timeout: .seconds(10), authorityFile: authorityFile).send("GET", to: address + "/up")
        } catch {
            return [.fail("address", detail: "\(error)\(todo(error))")]
        }
        guard front.status == 200 else {
            return [
                .fail("address", detail: "\(address)/up answers \(front.status): the proxy must forward every path")
            ]
        }
        // One after the other, so that none waits for another.
        let kinds = PageTrial.Kind.allCases.filter { $0 != .events2 || front.isHTTP2 }
        let trials = kinds.map { kind in
            let trial = PageTrial(kind, connection: connection(kind, of: stream))
            watch([trial], for: PublicCheck.time) { $0.isOpen }
            if !trial.outcome.isOpen { trial.join() }
            return trial
        }
        try exercise(trials.filter(\.outcome.isOpen))
        let judge = TrialJudge(
            trials: trials.map { ($0.kind, $0.outcome) },
            advice: ProxyAdvice(server: front.header("Server")),
            page: page,
            patience: patience
        )
        return [.ok("address", detail: "\(address) answers")] + judge.findings + [http2(front)].compactMap { $0 }
    }

    private func todo(_ error: HTTPClientError) -> String {
        guard case .certificate = error else { return "" }
        // Nobody has said yet which proxy it is.
        return
            "; the proxy's file must hold the whole chain and name this host (\(ProxyAdvice(server: nil).line(for: .certificate))), "
            + "and --ca names a private authority, too"
    }

    private func http2(_ front: HTTPClient.Response) -> Finding? {
        guard !front.isHTTP2 else { return nil }
        let cost = "so a browser opens six event streams at most"
        guard address.hasPrefix("https://") else { return .warn("HTTP/2", detail: "needs https://, \(cost)") }
        let line = ProxyAdvice(server: front.header("Server")).line(for: .noHTTP2)
        return .warn("HTTP/2", detail: "is not offered, \(cost). Missing: \(line)")
    }

    private func connection(_ kind: PageTrial.Kind, of stream: StreamAnswer) -> PageConnection {
        PageConnection(
            address: address,
            transport: kind.transport,
            signedName: stream.signedStream,
            page: page,
            authorityFile: authorityFile,
            isHTTP1Only: kind == .events1
        )
    }

    /// Has all pages receive something: at once, and after they were left alone.
    private func exercise(_ trials: [PageTrial]) throws(CommandFailure) {
        defer {
            for trial in trials { trial.end() }
            for trial in trials { trial.join() }
        }
        guard !trials.isEmpty else { return }
        try publish(to: trials)
        guard let patience else { return }
        // Those that end early are found out early.
        watch(trials, for: patience) { _ in false }
        try publish(to: trials)
    }

    private func publish(to trials: [PageTrial]) throws(CommandFailure) {
        let word = "paycast-doctor-\(UInt64.random(in: 0 ... .max))"
        for trial in trials { trial.expect(word) }
        var request = BroadcastRequest()
        request.user = UserID(PublicCheck.user)
        request.action = "update"
        request.target = "paycast-doctor"
        request.html = word
        request.transient = true
        _ = try remote.post(request, to: "/broadcasts")
        watch(trials, for: PublicCheck.time) { $0.hasReceived }
    }

    /// Returns when `isDone` holds for each page that still stands.
    private func watch(_ trials: [PageTrial], for time: Duration, until isDone: (PageTrial.Outcome) -> Bool) {
        let deadline = ContinuousClock.now + time
        while ContinuousClock.now < deadline,
            trials.contains(where: { $0.outcome.failure == nil && !isDone($0.outcome) })
        {
            PageTrial.news.wait(timeout: .milliseconds(200))
        }
    }
}
