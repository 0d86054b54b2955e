import API
import APIModel
import Commands
import Domain
import HTTPClient

/// Gives a user, or each of many, a product or an entitlement for a time.
struct Grant: Command {
    static let name = "grant"
    static let summary = "give a user a product for a time"
    static let help = """
        Give a user access for a time, with a reason, and show it on open pages.

        Usage: paycast grant --user USER --entitlement NAME --days N --reason TEXT
               paycast grant --user USER --product PRODUCT --days N --reason TEXT
               paycast grant --users FILE [--product PRODUCT] --days N --reason TEXT

        A grant is one more source beside the stores: it ends by itself, and what a
        store says about its own contract stays as it is. Prints the grant's id, by
        which “paycast revoke” takes it back.

        With --users, each user of the file gets it. Run the same command again after
        an interruption, also with a corrected file: nobody gets the same twice. A
        second compensation has another reason.

        Options:
          --user USER           who gets it
          --users FILE          … or each user of this file, one a line; “-” is stdin
          --entitlement NAME    what is granted: an entitlement of the catalog, or
                                “default” without any
          --product PRODUCT     … or a product, by the store's id, as in the catalog
                                that it opens; with --users and without both, what each
                                user holds, or held last
          --days NUMBER         for so many days from now on, 1 to 3650
          --until INSTANT       … or until this instant or date
          --forever             … or for ever
          --reason TEXT         the reason, for the audit, without the user's id
          --group GROUP         the group in which one product is active at a time
          --idempotency-key KEY  the same key for the same user is the same grant
          --dry-run             with --users: read the file, and grant nothing
          --json                the server's answer as JSON
        \(RemoteServer.optionsHelp)

        Example: paycast grant --user 42 --entitlement pro --days 30 --reason "ticket 7"
        """

    private let remote: RemoteServer
    private let recipients: Recipients
    private let request: GrantRequest
    private let key: String?
    private let isTrial: Bool
    private let printsJSON: Bool

    private enum Recipients {
        case user(String)
        case file(String)

        var isOne: Bool {
            if case .user = self { true } else { false }
        }
    }

    init(_ arguments: inout Arguments) throws(UsageError) {
        remote = try RemoteServer(&arguments)
        printsJSON = try arguments.flag("--json")
        isTrial = try arguments.flag("--dry-run")
        key = try arguments.option("--idempotency-key")
        switch (try arguments.option("--user"), try arguments.option("--users")) {
        case (let user?, nil): recipients = .user(user)
        case (nil, let file?): recipients = .file(file)
        case (nil, nil): throw UsageError("--user is missing, or --users with a file")
        case (_?, _?): throw UsageError("pass either --user or --users")
        }
        request = try Grant.request(&arguments, isForOne: recipients.isOne)
        switch recipients {
        case .user where isTrial: throw UsageError("--dry-run needs --users")
        case .file where key != nil: throw UsageError("--users makes a key for each user: leave --idempotency-key out")
        case .file where printsJSON: throw UsageError("--json needs --user")
        default: break
        }
    }

    private static func request(_ arguments: inout Arguments, isForOne: Bool) throws(UsageError) -> GrantRequest {
        let product = try arguments.option("--product")
        let entitlement = try arguments.option("--entitlement")
        let group = try arguments.option("--group")
        let days = try arguments.number("--days", in: 1...3650)
        let until = try arguments.option("--until")
        let isForever = try arguments.flag("--forever")
        if product != nil, entitlement != nil { throw UsageError("pass either --product or --entitlement") }
        if product == nil, entitlement == nil, isForOne { throw UsageError("--product is missing, or --entitlement") }
        if product?.isEmpty == true { throw UsageError("--product is empty") }
        if entitlement?.isEmpty == true { throw UsageError("--entitlement is empty") }
        let reason = try arguments.required("--reason", ": the audit keeps it, such as “outage of 1 May”")
        guard [days != nil, until != nil, isForever].count(where: { $0 }) == 1 else {
            throw UsageError("pass one of --days, --until and --forever")
        }
        var request = GrantRequest(product: product, entitlement: entitlement, reason: reason)
        request.group = group
        request.until = try until.map(instant)
        request.days = days.map { Int64($0) }
        if isForever { request.forever = true }
        return request
    }

    private static func instant(_ text: String) throws(UsageError) -> String {
        guard let instant = Instant(iso8601: text) ?? Instant(iso8601: text + "T00:00:00Z") else {
            throw UsageError("--until must be an instant such as 2026-01-31T12:00:00Z or a date, not \(quoted(text))")
        }
        return instant.iso8601
    }

    func run() throws(CommandFailure) -> Int32 {
        switch recipients {
        case .user(let user):
            let answer = try remote.response(toGranting: request, to: user, key: key)
            guard answer.status == 201 else { throw remote.failure(status: answer.status, body: answer.body) }
            if printsJSON { printJSON(answer.body) } else { try printGrant(answer.body, from: remote) }
            return 0
        case .file(let path):
            return try BulkGrant(request: request, file: path, isTrial: isTrial, remote: remote).run()
        }
    }
}

/// Prints the answer about a grant, a member a line.
func printGrant(_ bytes: [UInt8], from remote: RemoteServer) throws(CommandFailure) {
    let answer: GrantAnswer = try remote.read(bytes, saying: "what it granted")
    var lines = [
        ("grant", answer.grant), ("user", answer.user.text),
        (answer.entitlement == nil ? "product" : "entitlement", answer.product),
        ("opens", answer.entitlements.joined(separator: ", ")), ("until", answer.until ?? "forever"),
    ]
    if let revokedAt = answer.revokedAt { lines.append(("revoked", revokedAt)) }
    printColumns(lines)
}

extension RemoteServer {
    func response(
        toGranting request: GrantRequest,
        to user: String,
        key: String?
    ) throws(CommandFailure) -> HTTPClient.Response {
        try response(
            "POST",
            "/users/" + pathPart(user) + "/grants",
            json: JSON.encode(request),
            headers: key.map { [("Idempotency-Key", $0)] } ?? []
        )
    }
}
