internal import APIModel
internal import Commands
internal import Crypto
internal import Domain
internal import Encoding
internal import Glibc

/// Grants the same to each user of a file, as after an outage.
///
/// The key of each grant follows from the user and from what is granted, for which reason. So a run that was interrupted
/// is simply repeated, also with a file that was corrected in between: nobody gets the same twice.
struct BulkGrant {
    private static let sizeLimit = 64 << 20

    private let request: GrantRequest
    private let file: String
    private let isTrial: Bool
    private let remote: RemoteServer

    init(_ request: GrantRequest, file: String, isTrial: Bool, remote: RemoteServer) {
        self.request = request
        self.file = file
        self.isTrial = isTrial
        self.remote = remote
    }

    func run() throws(CommandFailure) -> Int32 {
        let users = try users()
        if isTrial {
            printText("\(users.count) users would get \(request.product)")
            return 0
        }
        let progress = Progress()
        defer { progress.clear() }
        for (index, user) in users.enumerated() {
            progress.show("granting … \(index) of \(users.count)")
            do throws(CommandFailure) {
                _ = try remote.grant(request, to: user, key: key(of: user))
            } catch {
                progress.clear()
                let done = "\(index) of \(users.count) users have it; correct that and run the same command again"
                throw CommandFailure("user \(quoted(user)): \(error.message) (\(done))")
            }
        }
        progress.clear()
        printText("\(users.count) users have \(request.product)")
        return 0
    }

    /// Depends on everything but the file: a second compensation has another reason.
    private func key(of user: String) -> String {
        let term = request.until ?? request.days.map { "\($0) days" } ?? "forever"
        let parts = [request.product, request.group ?? "", term, request.reason, user]
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
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        while bytes.count <= BulkGrant.sizeLimit {
            let count = Glibc.read(descriptor, &chunk, chunk.count)
            if count < 0 { throw unreadable }
            if count == 0 { return bytes }
            bytes += chunk.prefix(count)
        }
        throw CommandFailure("\(file) has more than 64 MiB: split it")
    }

    private var unreadable: CommandFailure { CommandFailure("\(file): \(String(cString: strerror(errno)))") }
}
