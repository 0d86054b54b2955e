import Crypto
import Encoding
import Glibc
import Support

/// The place where a ledger is served, as the ledger remembers it.
///
/// A copy of a ledger, or one that was restored, has jobs and messages that the original sends, or has sent. So whoever serves
/// it in another place keeps back what goes out, until an operator says that this is the one that acts (`paycast release`).
public struct LedgerHome: Sendable, Equatable {
    /// What tells the place from others; nil where this user may not ask.
    public var marks: [String?]
    /// How the place is reached: at least one of them is known.
    public var addresses: Set<String>

    public init(marks: [String?], addresses: Set<String>) {
        self.marks = marks
        self.addresses = addresses
    }

    /// No place: of a ledger that was restored or copied.
    public static let nowhere = LedgerHome(marks: ["nowhere"], addresses: [])
    /// Any place: an operator has released the ledger, and the next server to ask has it.
    public static let anywhere = LedgerHome(marks: ["anywhere"], addresses: [])

    /// The key in the table `meta`. No row is a ledger that nobody has served yet, or only an older version.
    public static let key = "home"

    public func isSame(as other: LedgerHome) -> Bool {
        isSameDatabase(as: other) && !addresses.isDisjoint(with: other.addresses)
    }

    /// Whatever the way to it. Ignores what is unknown on one side.
    func isSameDatabase(as other: LedgerHome) -> Bool {
        marks.count == other.marks.count && zip(marks, other.marks).allSatisfy { $0 == nil || $1 == nil || $0 == $1 }
    }
}

/// The text in the table `meta`: a line of marks, and one for each address.
extension LedgerHome: CustomStringConvertible {
    public var description: String {
        ([marks.map { $0 ?? "-" }.joined(separator: "/")] + addresses.sorted()).joined(separator: "\n")
    }

    public init(_ text: String) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let marks = (lines.first ?? "").split(separator: "/", omittingEmptySubsequences: false)
        self.init(marks: marks.map { $0 == "-" ? nil : String($0) }, addresses: Set(lines.dropFirst()))
    }
}

extension LedgerHome {
    /// Of a ledger in a file: this machine, and the file's path.
    static func file(_ path: String) -> LedgerHome {
        LedgerHome(marks: [machine], addresses: [LedgerBackup.resolved(path)])
    }

    /// The machine's id, of which machine-id(5) says that only a digest may leave the machine. Many containers have no id: then it
    /// is the host's name.
    private static var machine: String {
        let id = contents(of: "/etc/machine-id").map { trimmed($0) } ?? ""
        var name = [CChar](repeating: 0, count: 65)
        if id.isEmpty { gethostname(&name, name.count - 1) }
        let host = name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return Hex.encode(Array(SHA256.hash(Array("paycast \(id)".utf8) + host).prefix(8)))
    }
}

extension SQLiteEngine {
    /// Whether the ledger is served where it was served before. One that has no home yet gets this one; so does any other if
    /// `isForced`. Call it once the ledger is open.
    public func claimHome(isForced: Bool) throws(LedgerError) -> Bool {
        do throws(EngineError) {
            let connection = try SQLiteConnection(path: path, access: .readWrite, lockTimeout: .seconds(2))
            let here = LedgerHome.file(path)
            // A server that is at home waits for nobody.
            if try connection.home()?.isSame(as: here) == true { return true }
            try connection.begin()
            let known = try connection.home()
            let isHere = isForced || known == nil || known == .anywhere
            if isHere { try connection.setHome(here) }
            try connection.commit(head: 0, entriesAt: nil)
            return isHere
        } catch {
            throw LedgerError(error)
        }
    }
}

/// What `paycast release` does.
extension SQLiteEngine {
    public static func release(_ path: String) throws(LedgerError) {
        guard LedgerBackup.isFile(path) else { throw .cannotOpen(path: path, reason: "there is no such file") }
        let refusal: LedgerError?
        do throws(EngineError) {
            let connection = try SQLiteConnection(path: path, access: .readWrite, lockTimeout: .seconds(10))
            refusal = try SQLiteSchema.isLedger(connection) ? SQLiteSchema.refusal(connection) : .unreleasedSchema
            if refusal == nil { try connection.setHome(.anywhere) }
        } catch {
            throw error.isBusy ? .busy : .cannotOpen(path: path, reason: error.message)
        }
        if let refusal { throw refusal }
    }
}

extension SQLiteConnection {
    /// Nil if nobody has served the ledger yet.
    func home() throws(EngineError) -> LedgerHome? {
        try prepare("SELECT value FROM meta WHERE key = ?").first([.text(LedgerHome.key)]) { LedgerHome($0.text()) }
    }

    func setHome(_ home: LedgerHome) throws(EngineError) {
        try prepare("INSERT INTO meta VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value")
            .run([.text(LedgerHome.key), .text(home.description)])
    }
}
