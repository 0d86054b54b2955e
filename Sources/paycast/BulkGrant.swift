import APIModel
import Commands
import Crypto
import Domain
import Encoding
import Glibc
import HTTPClient

/// Grants the same to each user of a file, as after an outage: a product, or, without one, what each user holds or held
/// last.
///
/// The key of each grant follows from the user and from what is granted, for which reason. So a run that was interrupted
/// is simply repeated, also with a file that was corrected in between: nobody gets the same twice.
struct BulkGrant {
    private static let sizeLimit = 64 << 20

    /// Without a product and an entitlement, it is for what each user holds.
    let request: GrantRequest
    let file: String
    let isTrial: Bool
    let remote: RemoteServer

    private var takesHeldProduct: Bool { request.product == nil && request.entitlement == nil }

    func run() throws(CommandFailure) -> Int32 {
        let users = try users()
        let progress = ProgressLine()
        defer { progress.clear() }
        var having = 0
        for (index, user) in users.enumerated() {
            progress.show("granting … \(index) of \(users.count)")
            do throws(CommandFailure) {
                if try grant(user) { having += 1 }
            } catch {
                progress.clear()
                let done = "\(index) of \(users.count) users are done; correct that and run the same command again"
                throw CommandFailure("user \(quoted(user)): \(error.message) (\(done))")
            }
        }
        progress.clear()
        let what = request.product ?? request.entitlement ?? "their product"
        printText("\(having) \(having == 1 ? "user" : "users") \(isTrial ? "would get" : "have") \(what)")
        if having < users.count { printText("\(users.count - having) hold nothing, and get nothing") }
        return 0
    }

    /// Returns false for a user who holds nothing, and so gets nothing.
    private func grant(_ user: String) throws(CommandFailure) -> Bool {
        var request = request
        if takesHeldProduct {
            guard let held = try held(by: user) else { return false }
            if held.isOfEntitlement { request.entitlement = held.product } else { request.product = held.product }
        }
        guard !isTrial else { return true }
        let answer = try remote.response(toGranting: request, to: user, key: key(of: user))
        // The user has changed to another product since an earlier run, and has got this all the same.
        if takesHeldProduct, answer.status == 422, answer.code == "idempotency_key_reused" { return true }
        guard answer.status == 201 else { throw remote.failure(status: answer.status, body: answer.body) }
        return true
    }

    /// What gives access comes before what is over; of both, what a store sold before an earlier grant.
    private func held(by user: String) throws(CommandFailure) -> ContractItem? {
        let path = "/users/" + pathPart(user) + "/entitlements"
        let answer: EntitlementsAnswer = try remote.get(path, saying: "what users hold")
        return answer.contracts.filter(\.isCompensated).min { $0.rank < $1.rank }
    }

    /// Depends on everything but the file: a second compensation has another reason.
    private func key(of user: String) -> String {
        let term = request.until ?? request.days.map { "\($0) days" } ?? "forever"
        let what = request.product ?? request.entitlement.map { "entitlement \($0)" } ?? ""
        let parts = [what, request.group ?? "", term, request.reason, user]
        return "bulk-" + Hex.encode(SHA256.hash(Array(parts.joined(separator: "\n").utf8)))
    }

    /// One a line, each once, in the order of the file. An id that no user can have stops the run before it begins.
    private func users() throws(CommandFailure) -> [String] {
        let bytes = try read()
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw CommandFailure("\(file) is not UTF-8: save it as that, with one user a line")
        }
        var seen: Set<UserID> = []
        var users: [String] = []
        for (number, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated()
        where !line.isEmpty {
            guard isValidIdentifier(String(line)) else {
                let rule = "a user id has 1 to 255 bytes and no control characters"
                throw CommandFailure("line \(number + 1) of \(file) is no user: \(rule)")
            }
            if seen.insert(UserID(String(line))).inserted { users.append(String(line)) }
        }
        guard !users.isEmpty else { throw CommandFailure("\(file) names nobody: write one user a line") }
        return users
    }

    private func read() throws(CommandFailure) -> [UInt8] {
        let descriptor = file == "-" ? STDIN_FILENO : open(file, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw unreadable }
        defer { if descriptor != STDIN_FILENO { close(descriptor) } }
        guard let bytes = readBytes(of: descriptor, atMost: BulkGrant.sizeLimit) else { throw unreadable }
        guard bytes.count <= BulkGrant.sizeLimit else { throw CommandFailure("\(file) has more than 64 MiB: split it") }
        return bytes
    }

    private var unreadable: CommandFailure { CommandFailure("\(file): \(String(cString: strerror(errno)))") }
}

extension ContractItem {
    /// Not what was handed over, never paid for, refunded or taken back, nor what opens nothing; nor what is of a sandbox, unless
    /// the server honours it: then it gives access.
    fileprivate var isCompensated: Bool {
        let unpaid: [ContractState] = [.pending, .revoked]
        return quantity == nil && !entitlements.isEmpty && !unpaid.contains { $0.rawValue == state }
            && (active || environment == StoreEnvironment.production.rawValue)
    }

    /// Whether it grants an entitlement itself, rather than a product.
    fileprivate var isOfEntitlement: Bool {
        provider == Provider.paycast.rawValue && entitlements.count == 1 && entitlements[0].hasSameBytes(as: product)
    }

    fileprivate var rank: Int {
        (active ? 0 : 2) + (provider == Provider.paycast.rawValue ? 1 : 0)
    }
}

extension HTTPClient.Response {
    /// Why it was refused; nil if it was not.
    fileprivate var code: String? { JSON.decode(ErrorAnswer.self, from: body)?.error }
}
