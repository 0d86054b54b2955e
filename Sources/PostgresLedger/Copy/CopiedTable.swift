internal import Crypto
internal import Ledger

/// A table of every ledger, as a copy reads and writes it. A test holds the list beside the tables of both engines.
struct CopiedTable {
    enum Kind: String {
        case integer, text, bytes
    }

    struct Column: Equatable {
        let name: String
        let kind: Kind
    }

    /// The number of rows read at a time. A row may hold a body of 256 KiB.
    static let pageSize = 256

    let name: String
    /// The primary key, in its order, and then the others.
    let columns: [Column]
    let keyCount: Int
    /// Leaves out the rows of `meta` that belong to one engine.
    private let condition: String?

    /// Columns are integers, but those with another kind after a colon. Those that the database computes are left out.
    private init(_ name: String, key: String, _ others: String, where condition: String? = nil) {
        func parsed(_ list: String) -> [Column] {
            list.split(separator: " ").map { word in
                let parts = word.split(separator: ":")
                let kind = parts.count > 1 ? Kind(rawValue: String(parts[1])) : nil
                return Column(name: String(parts[0]), kind: kind ?? .integer)
            }
        }
        self.name = name
        columns = parsed(key) + parsed(others)
        keyCount = parsed(key).count
        self.condition = condition
    }

    /// Each after those that it refers to.
    static let all = [
        CopiedTable(
            "meta",
            key: "key:text",
            "value:text",
            where: "key NOT IN ('epoch', 'tables', 'history', 'reserved')"
        ),
        CopiedTable(
            "entries",
            key: "position",
            """
            committed_at kind:text provider:text environment:text type:text subtype:text event:text outcome:text user:text \
            contract:text order_token:text product:text previous_state:text state:text active access_until
            """
        ),
        CopiedTable(
            "contracts",
            key: "id",
            """
            provider:text environment:text app:text lineage:text kind:text user:text user_at is_family_shared \
            product_group:text product_group_at token:text token_at account:text account_at store_user:text store_user_at \
            previous_lineage:text previous_lineage_at snapshot_event:text snapshot_state:text snapshot_product:text \
            snapshot_pending_product:text snapshot_auto_renew snapshot_access_until snapshot_signed_at snapshot_is_pausing \
            charge_event:text charge_id:text charge_product:text charge_purchased_at charge_expires_at charge_revoked_at \
            charge_is_upgraded charge_quantity charge_price charge_currency:text charge_signed_at state:text product:text \
            pending_product:text access_until auto_renew is_pausing ends_at
            """
        ),
        CopiedTable("headers", key: "digest:bytes", "text:bytes"),
        CopiedTable(
            "events",
            key: "position",
            "provider:text environment:text event:text app:text signed_at received_at body:bytes header:bytes contract"
        ),
        CopiedTable(
            "fragments",
            key: "stream:text collapse_key:text position ordinal",
            "action:text target:text targets:text content:text template:text body:bytes"
        ),
        CopiedTable(
            "orders",
            key: "token:text",
            "user:text product:text provider:text product_group:text kind:text trace:text created_at"
        ),
        CopiedTable("tokens", key: "contract token:text", "at bought_at"),
        CopiedTable("claims", key: "contract user:text", "first_at first_was_active at was_active proof_at"),
        CopiedTable("shares", key: "user:text contract", "ordinal"),
        CopiedTable("transfers", key: "from_user:text provider:text environment:text at to_user:text", ""),
        CopiedTable("tombstones", key: "digest:text", "position"),
        CopiedTable("kept_bodies", key: "position", ""),
        CopiedTable("marks", key: "name:text", "at"),
        CopiedTable("languages", key: "user:text", "tag:text"),
        CopiedTable(
            "jobs",
            key: "id",
            """
            kind:text provider:text environment:text app:text subject:text detail:text deadline position queued_at attempts \
            due_at reason:text abandoned_at
            """
        ),
        CopiedTable(
            "hook_deliveries",
            key: "id",
            """
            address:text user:text type:text state:text position version accepted queued_at attempts due_at reason:text \
            ended_at
            """
        ),
        CopiedTable(
            "hook_addresses",
            key: "address:text",
            "accepted_at failures failing_since gone_at reason:text"
        ),
        CopiedTable("broadcast_keys", key: "id", "key:text request:text position count at"),
        CopiedTable(
            "audit",
            key: "id",
            "at action:text actor:text system_user:text user:text reason:text request:text"
        ),
    ]

    /// A new ledger has rows of its own in this table alone.
    var isMeta: Bool { name == "meta" }

    var kinds: [Kind] { columns.map(\.kind) }

    func key(of row: [Value]) -> [Value] { Array(row.prefix(keyCount)) }

    /// The rows after a key, in the key's order.
    func page(isFirst: Bool) -> String {
        let key = CopiedTable.list(columns.prefix(keyCount))
        let terms = [condition, isFirst ? nil : "(\(key)) > (\(CopiedTable.marks(keyCount)))"].compactMap { $0 }
        let filter = terms.isEmpty ? "" : "WHERE " + terms.joined(separator: " AND ")
        return """
            SELECT \(CopiedTable.list(columns[...])) FROM \(name) \(filter) ORDER BY \(key) LIMIT \(CopiedTable.pageSize)
            """
    }

    var insertion: String {
        "INSERT INTO \(name) (\(CopiedTable.list(columns[...]))) VALUES (\(CopiedTable.marks(columns.count)))"
    }

    var clearing: String { "DELETE FROM \(name)" + (condition.map { " WHERE " + $0 } ?? "") }

    private static func list(_ columns: ArraySlice<Column>) -> String {
        columns.map { "\"\($0.name)\"" }.joined(separator: ", ")
    }

    private static func marks(_ count: Int) -> String { Array(repeating: "?", count: count).joined(separator: ", ") }
}

/// How many rows a table has, and one digest of them all, in the order of their key.
struct TableDigest: Equatable {
    private(set) var rows: Int64 = 0
    private(set) var sha256: [UInt8] = []

    mutating func add(_ page: [[Value]]) {
        var bytes = sha256
        for row in page {
            for value in row { value.append(to: &bytes) }
        }
        sha256 = SHA256.hash(bytes)
        rows += Int64(page.count)
    }
}

extension Value {
    /// With its kind and its length, so that two different rows never have the same bytes.
    fileprivate func append(to bytes: inout [UInt8]) {
        switch self {
        case .null: bytes.append(0)
        case .integer(let number):
            bytes.append(1)
            withUnsafeBytes(of: number.bigEndian) { bytes += $0 }
        case .text(let text):
            bytes.append(2)
            withUnsafeBytes(of: Int64(text.utf8.count).bigEndian) { bytes += $0 }
            bytes += text.utf8
        case .bytes(let content):
            bytes.append(3)
            withUnsafeBytes(of: Int64(content.count).bigEndian) { bytes += $0 }
            bytes += content
        }
    }
}
