import API
import APIModel
import Commands
import Domain
import HTTPClient

/// Gives a user, or each of many, a product or an entitlement for a time.
struct Grant: Command {
    static let name = "grant"

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

/// Takes a grant back.
struct Revoke: Command {
    static let name = "revoke"

    private let remote: RemoteServer
    private let user: String
    private let grant: String
    private let reason: String
    private let printsJSON: Bool

    init(_ arguments: inout Arguments) throws(UsageError) {
        remote = try RemoteServer(&arguments)
        printsJSON = try arguments.flag("--json")
        user = try arguments.required("--user")
        grant = try arguments.required("--grant", ": the id that “grant” printed, or the contract's")
        reason = try arguments.required("--reason", ": the audit keeps it, such as “granted by mistake”")
    }

    func run() throws(CommandFailure) -> Int32 {
        let path = "/users/" + pathPart(user) + "/grants/" + pathPart(grant) + queryString([("reason", reason)])
        let bytes = try remote.delete(path, timeout: .seconds(30))
        if printsJSON { printJSON(bytes) } else { try printGrant(bytes, from: remote) }
        return 0
    }
}

/// Prints the answer about a grant, a member a line.
private func printGrant(_ bytes: [UInt8], from remote: RemoteServer) throws(CommandFailure) {
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
