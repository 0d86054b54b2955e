import APIModel
import Domain
import HTTPClient
import Stores

/// What has become of the rows of a list.
struct ImportReport: Codable, Equatable, Sendable {
    var rows = 0
    /// The users have them now.
    var applied = 0
    /// They had them before.
    var alreadyThere = 0
    /// The store does not know them, or no longer does.
    var unknown = 0
    /// Others have them, and keep them.
    var anotherUsers = 0
    /// Nobody can have them here.
    var refused = 0
    /// The store tells nothing of them, while it tells of others.
    var unanswered = 0
    /// They cannot be read.
    var unread = 0

    mutating func add(_ outcome: RowOutcome) {
        rows += 1
        switch outcome {
        case .applied: applied += 1
        case .alreadyThere: alreadyThere += 1
        case .unknown: unknown += 1
        case .anotherUsers: anotherUsers += 1
        case .refused: refused += 1
        case .unanswered: unanswered += 1
        case .unread: unread += 1
        }
    }

    var lines: [(String, String)] {
        let counts = [
            ("rows", rows), ("applied", applied), ("already there", alreadyThere), ("unknown at the store", unknown),
            ("another user's", anotherUsers), ("refused", refused), ("not answered", unanswered),
            ("not readable", unread),
        ]
        return counts.map { ($0, String($1)) }
    }
}

enum RowOutcome: Equatable, Sendable {
    case applied, alreadyThere, unknown, anotherUsers
    case refused(String)
    case unanswered(String)
    case unread(String)

    /// Whether its store told it: the rest the server may know by itself, also while the store is away.
    var isOfStore: Bool {
        switch self {
        case .applied, .alreadyThere, .unknown, .anotherUsers: true
        case .refused, .unanswered, .unread: false
        }
    }

    /// What an operator is told; nil if nobody has to look.
    var problem: String? {
        switch self {
        case .applied, .alreadyThere: nil
        case .unknown: "the store does not know it, or no longer does"
        case .anotherUsers:
            "it is another user's, who keeps it: look whose it is, and import the line with --transfer if need be"
        case .unanswered(let message): "not answered, so import it again: \(message)"
        case .refused(let message), .unread(let message): message
        }
    }
}

/// What an answer of the server means for the row that was posted, and for all that follow.
enum RowVerdict: Equatable, Sendable {
    /// Whom a silence concerns.
    enum Extent: Equatable, Sendable { case server, store, row }

    case settled(RowOutcome)
    /// Ask again, after so many seconds if the server says that.
    case wait(String, seconds: Int?, Extent)
    /// No row would fare better.
    case stop

    init(_ answer: HTTPClient.Response) {
        self.init(status: answer.status, retryAfter: answer.header("Retry-After"), body: answer.body)
    }

    init(status: Int, retryAfter: String? = nil, body: [UInt8]) {
        let error = JSON.decode(ErrorAnswer.self, from: body)
        switch (status, error?.error) {
        case (200, _): self = .settled(RowOutcome(JSON.decode(CommitAnswer.self, from: body)))
        case (409, "owned_by_other"): self = .settled(.anotherUsers)
        case (400, "unknown_purchase"): self = .settled(.unknown)
        case (400, let code?): self = .settled(.unread(error?.message ?? code))
        case (413, _): self = .settled(.unread(error?.message ?? "the server answers 413: it is too long"))
        case (503, "wrong_app"), (503, "wrong_environment"): self = .settled(.refused(error?.message ?? ""))
        case (503, "not_configured"): self = .stop
        case (429, _), (502...504, _), (500, _):
            let seconds = retryAfter.flatMap { Int($0) }.map { min(max($0, 1), 3600) }
            let reason = error?.message ?? "the server answers \(status)"
            self = .wait(reason, seconds: seconds, Extent(error))
        default: self = .stop
        }
    }
}

extension RowVerdict.Extent {
    /// What a store's API may do about one purchase alone. Its sentence says which: all have one code.
    private static let ofRows: [VerificationError] = [.refusedQuestion, .unreadable, .notYetKnown].map {
        .storeUnreachable($0)
    }

    fileprivate init(_ error: ErrorAnswer?) {
        guard let error, error.error == "store_unreachable" else {
            self = .server
            return
        }
        self = Self.ofRows.contains { $0.message.hasSameBytes(as: error.message) } ? .row : .store
    }
}

extension RowOutcome {
    fileprivate init(_ answer: CommitAnswer?) {
        switch (answer?.claim, answer?.outcome) {
        case ("yours", "applied"): self = .applied
        case ("yours", _): self = .alreadyThere
        case ("others", _): self = .anotherUsers
        default: self = .refused("it contradicts its order, or is of a user who was erased")
        }
    }
}
