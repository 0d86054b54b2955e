import APIModel
import Crypto
import Domain
import HTTPClient
import Support

/// `tail --stream`: follows one stream as an open page does.
struct PageTail: TailSubject {
    /// Whose signature the page shows.
    enum Name {
        case signed(String)
        /// Is signed here, with the server's key.
        case stream(StreamName)
        /// The server signs it.
        case user(String)
    }

    private typealias Ending = Result<Int32, CommandFailure>

    private let name: Name
    private let remote: RemoteServer
    private let transport: PageTransport
    /// The `http` or `https` form of the address that pages use.
    private let address: String
    private let authorityFile: String?
    private let output: PageOutput
    private var follower: FeedFollower
    private var hasConnected = false
    private var isOpen = false
    /// Over Action Cable.
    private var place: CablePlace?
    private var shown = ShownElements()
    /// Why the newest position is not known.
    private var positionProblem: String?

    /// Nil when the arguments ask for the feed.
    init?(_ arguments: inout Arguments, remote: RemoteServer, printsJSON: Bool) throws(UsageError) {
        let stream = try arguments.option("--stream")
        let signed = try arguments.option("--name")
        let isPage = try arguments.flag("--page")
        let kind = try arguments.choice("--over", among: PageTransport.names)
        let url = try arguments.option("--url")
        authorityFile = try readableFile(&arguments, "--ca")
        let printsHTML = try arguments.flag("--html")
        guard [stream != nil, signed != nil, isPage].count(where: { $0 }) <= 1 else {
            throw UsageError("pass one of --stream, --name and --page")
        }
        guard stream != nil || signed != nil || isPage else {
            let given = [kind.map { _ in "--over" }, url.map { _ in "--url" }, authorityFile.map { _ in "--ca" }]
            guard let needless = (given + [printsHTML ? "--html" : nil]).lazy.compactMap({ $0 }).first else {
                return nil
            }
            throw UsageError("\(needless) needs --stream NAME, --user USER --page, or --name SIGNED")
        }
        name = try PageTail.name(stream: stream, signed: signed, &arguments)
        transport = kind.flatMap { PageTransport(rawValue: $0) } ?? .websocket
        self.remote = remote.trusting(authorityFile)
        address = try url.map { text throws(UsageError) in try pageAddress(text, of: "--url") } ?? remote.url
        output = PageOutput(printsJSON: printsJSON, printsHTML: printsHTML)
        let since = try arguments.option("--since")
        if let since, since != "start", Cursor(since) == nil {
            throw UsageError("of a stream, --since must be a cursor such as 3f9a-120, or start; not \(quoted(since))")
        }
        follower = try FeedFollower(&arguments, filter: TailFilter(), since: since, fields: PageLine.fields)
    }

    private static func name(
        stream: String?,
        signed: String?,
        _ arguments: inout Arguments
    ) throws(UsageError) -> Name {
        if let signed { return .signed(signed) }
        guard let stream else {
            guard let user = try arguments.option("--user") else { throw UsageError("--page needs --user USER") }
            return .user(user)
        }
        guard let name = StreamName(stream) else {
            throw UsageError("a stream's name is 1 to 512 bytes without control characters")
        }
        return .stream(name)
    }

    var waits: Bool { follower.waits }

    mutating func run() throws(CommandFailure) -> Int32 {
        let waiting = Waiting(for: follower)
        let (signed, position) = try waiting.bounding { limit throws(CommandFailure) in try sign(within: limit) }
        if follower.since == nil, let position {
            _ = follower.reset(to: position)
        } else if follower.since == "start" {
            let epoch = position.flatMap { Cursor($0) }?.epoch
            guard let epoch else {
                let problem = positionProblem ?? "the server does not say where its ledger begins"
                throw CommandFailure("--since start cannot be found: \(problem)")
            }
            _ = follower.reset(to: "\(Cursor(epoch: epoch, position: 0))")
        }
        while true {
            var reason = "the time is up"
            var ending: Ending?
            do throws(PageFailure) {
                ending = try connect(signed, waiting)
            } catch {
                guard hasConnected, error.mayPass else { throw CommandFailure(error.text) }
                reason = error.text
            }
            if let ending { return try ending.get() }
            try waiting.pause(reason, for: follower.disconnected())
        }
    }

    /// Nil when the time is up.
    private mutating func connect(_ signed: String, _ waiting: Waiting) throws(PageFailure) -> Ending? {
        var ending: Ending?
        isOpen = false
        let connection = PageConnection(
            address: address,
            transport: transport,
            signedName: signed,
            authorityFile: authorityFile,
            place: place
        )
        try connection.run(since: follower.since) { event in
            switch event {
            case .opened: opened()
            case .position(let cursor): follower.receivedID(cursor)
            case .place(let place): self.place = place
            case .gap: printError("paycast: the server does not know that place: something may be missing")
            case .message(let html, let cursor): ending = received(PageMessage(html: html, cursor: cursor))
            case .tick: ticked()
            }
            return ending == nil && !waiting.isOver
        }
        return ending
    }

    private mutating func opened() {
        if hasConnected {
            let known = shown.isEmpty ? "" : "; what was shown since then is not shown again"
            let place = follower.since.map { "continuing after \($0)" } ?? "with what is newest"
            printError("paycast: connected again, \(place)\(known)")
        }
        hasConnected = true
        isOpen = true
        follower.connected()
        shown.beginRepetition()
    }

    private mutating func ticked() {
        leaveIfNobodyReads(awaited: follower.waits)
        if isOpen { shown.tick() }
    }

    private mutating func received(_ message: PageMessage) -> Ending? {
        var message = message
        // Over a WebSocket, a page does not learn how far it has come before the server says goodbye.
        if let cursor = message.farewell {
            follower.receivedID(cursor)
            shown.forget()
        }
        if transport == .websocket { message.elements.removeAll { !shown.add($0) } }
        guard !message.elements.isEmpty, follower.takes(message.cursor) else { return nil }
        // A line is an element: they are what is counted and matched.
        for element in message.elements {
            let line = PageLine(cursor: message.cursor, element: element)
            let action = follower.judge(line)
            if action != .skip { output.show(line) }
            if let ending = action.ending { return ending }
        }
        return nil
    }

    // MARK: The name

    /// The signed name, and the newest position if it is known: a page that was rendered now would have it.
    private mutating func sign(within limit: Duration) throws(CommandFailure) -> (name: String, position: String?) {
        switch name {
        case .signed(let name): return (name, nil)
        case .user(let user):
            let page = try remote.page(of: user, timeout: min(limit, .seconds(30)))
            return (page.signedStream, page.since)
        case .stream(let stream):
            guard let signer = StreamNameVerifier(ofEnvironment: processEnvironment()) else {
                throw CommandFailure(
                    "no key to sign the name with: set PAYCAST_STREAM_KEYS or SECRET_KEY_BASE, run this where the development "
                        + "server runs, or pass --name with the signed name that a page shows"
                )
            }
            return (signer.sign(stream, expires: nil), position(signer, within: min(limit, .seconds(3))))
        }
    }

    /// Asks on a stream that has no messages: its first block says how far the ledger is. Nil without a Paycast server.
    private mutating func position(_ signer: StreamNameVerifier, within limit: Duration) -> String? {
        let nobody = StreamName("paycast:tail:\(UInt64.random(in: 0 ... .max))")
        guard let nobody, let server = try? RequestURL(address).origin else { return nil }
        let connection = PageConnection(
            address: server,
            transport: .sse,
            signedName: signer.sign(nobody, expires: nil),
            authorityFile: authorityFile
        )
        var found: String?
        let end = ContinuousClock.now + limit
        do throws(PageFailure) {
            try connection.run(since: nil) { event in
                if case .position(let cursor) = event { found = cursor }
                return found == nil && ContinuousClock.now < end
            }
        } catch {
            positionProblem = error.text
        }
        return found
    }
}

/// Prints what a page receives: a line for each element.
struct PageOutput {
    let printsJSON: Bool
    /// The whole fragment after its line.
    let printsHTML: Bool

    func show(_ line: PageLine) {
        let now = Clock().now()
        guard !printsJSON else { return printJSON(PageOutput.json(line, at: now)) }
        printText(PageOutput.text(line, at: now))
        if printsHTML {
            for row in line.element.html.split(whereSeparator: \.isNewline) { printText(String(row)) }
        }
    }

    static func text(_ line: PageLine, at now: Instant) -> String {
        let element = line.element
        let target = element.target.map { "#" + $0 } ?? element.targets
        // As Turbo does it.
        let text = element.action == "refresh" ? "the page loads itself again" : element.text(limit: 60)
        let row = [
            clock(now.iso8601), padded(line.cursor.map { "\($0)" } ?? "-", to: 14),
            padded(element.action ?? "-", to: 8), padded(target ?? "-", to: 20),
            padded("\(element.html.utf8.count) B", to: 8), text,
        ].joined(separator: "  ")
        return String(row.reversed().drop { $0 == " " }.reversed())
    }

    static func json(_ line: PageLine, at now: Instant) -> [UInt8] {
        let element = line.element
        return JSON.encode(
            ReceivedElement(
                at: now.iso8601,
                bytes: element.html.utf8.count,
                cursor: line.cursor.map { "\($0)" },
                action: element.action,
                target: element.target,
                targets: element.targets,
                html: element.html
            )
        )
    }
}

private struct ReceivedElement: Encodable {
    var at: String
    var bytes: Int
    var cursor: String?
    var action: String?
    var target: String?
    var targets: String?
    var html: String
}
