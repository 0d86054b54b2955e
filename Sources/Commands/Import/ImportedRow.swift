import APIModel
import Domain
import Encoding
import Stores

/// One purchase of a list: whose it is, and by which id its store knows it.
struct ImportedRow: Equatable {
    /// Why a row cannot be read: part of a sentence, with no more of its content than a short word.
    struct Flaw: Error, Equatable {
        let message: String
    }

    var user: String
    var store: String
    /// Apple's transaction id, Google's purchase token or order number, Stripe's id of a subscription.
    var id: String
    /// The bundle, package or account that sold it; nil if only one is configured.
    var app: String?

    /// A purchase token of Google's has 1 KiB at most, and no other id is longer.
    static let idLimit = 1 << 10

    /// The stores that can be asked.
    static let stores = Stores.all.filter { $0.named("", app: nil) != nil }.map { $0.provider.rawValue }

    /// What is posted to `/transactions/{store}`.
    func body(isTransfer: Bool) -> [UInt8] {
        var body = Stores.named(store)?.named(id, app: app) ?? [:]
        body["user"] = .text(user)
        body["import"] = true
        if isTransfer { body["asked"] = true }
        return body.bytes
    }
}

/// How the rows of a list are read: by the columns that its first line names, or by the members of each line's object.
enum ImportColumns: Sendable {
    case csv([String])
    case jsonLines

    private static let names = ["user", "store", "id", "app"]
    private static let needed = names.dropLast()

    /// Throws if a column is missing, or means nothing here: nobody should believe that it counted.
    init(header: RecordReader.Record?) throws(ImportedRow.Flaw) {
        let rule = "the first line names the columns user, store and id, and app if need be, with commas between them"
        guard let header, header.flaw == nil, let fields = RecordReader.fields(header.bytes) else {
            throw ImportedRow.Flaw(message: rule)
        }
        let columns = fields.map { String(validating: $0, as: UTF8.self) ?? "?" }
        if let stranger = columns.first(where: { !ImportColumns.names.contains($0) }) {
            throw ImportedRow.Flaw(message: "\(word(stranger) ?? "what stands there") is no column: \(rule)")
        }
        if let missing = ImportColumns.needed.first(where: { !columns.contains($0) }) {
            throw ImportedRow.Flaw(message: "the column \(missing) is missing: \(rule)")
        }
        guard Set(columns).count == columns.count else {
            throw ImportedRow.Flaw(message: "a column stands there twice: \(rule)")
        }
        self = .csv(columns)
    }

    func row(_ record: RecordReader.Record) throws(ImportedRow.Flaw) -> ImportedRow {
        if let flaw = record.flaw { throw ImportedRow.Flaw(message: flaw) }
        let values =
            switch self {
            case .csv(let columns): try ImportColumns.values(record.bytes, columns: columns)
            case .jsonLines: try ImportColumns.members(record.bytes)
            }
        func value(_ name: String) throws(ImportedRow.Flaw) -> String {
            guard let value = values[name], !value.isEmpty else {
                throw ImportedRow.Flaw(message: "\(name) is missing")
            }
            return value
        }
        let row = ImportedRow(
            user: try value("user"),
            store: try value("store"),
            id: try value("id"),
            app: values["app"].flatMap(nonEmpty)
        )
        try row.check()
        return row
    }

    private static func values(
        _ record: ArraySlice<UInt8>,
        columns: [String]
    ) throws(ImportedRow.Flaw) -> [String: String] {
        guard let fields = RecordReader.fields(record) else {
            throw ImportedRow.Flaw(
                message: "a quote is not closed, or stands within a field: write it twice, with quotes around the field"
            )
        }
        guard fields.count == columns.count else {
            throw ImportedRow.Flaw(message: "it has \(fields.count) fields, the first line \(columns.count)")
        }
        let texts = fields.compactMap { String(validating: $0, as: UTF8.self) }
        guard texts.count == fields.count else { throw ImportedRow.Flaw(message: "it is not UTF-8") }
        return Dictionary(zip(columns, texts)) { $1 }
    }

    private static func members(_ record: ArraySlice<UInt8>) throws(ImportedRow.Flaw) -> [String: String] {
        let node: JSONNode
        do throws(JSONObjectError) {
            node = try JSONNode.object(strictly: Array(record))
        } catch {
            let problem = error == .repeatedMember ? "a member stands there twice" : "it is no JSON object in UTF-8"
            throw ImportedRow.Flaw(message: problem)
        }
        guard case .object(let members) = node else { return [:] }
        var values: [String: String] = [:]
        for member in members where !member.value.isNull {
            let name = member.name ?? ""
            guard names.contains(name) else {
                throw ImportedRow.Flaw(message: "\(word(name) ?? "what stands there") is no member of a row")
            }
            // Databases write ids as numbers.
            guard let text = member.value.text ?? member.value.integer.map({ String($0) }) else {
                throw ImportedRow.Flaw(message: "\(name) is neither a string nor a whole number")
            }
            values[name] = text
        }
        return values
    }
}

extension ImportedRow {
    /// What no server would take is told here, so that it costs no question. Control characters need six bytes each in JSON, of
    /// which a body has only so many.
    fileprivate func check() throws(Flaw) {
        guard isValidIdentifier(user) else {
            throw Flaw(message: "a user id has 1 to 255 bytes and no control characters")
        }
        guard ImportedRow.stores.contains(store) else {
            let name = word(store).map { "named \($0)" } ?? "named so"
            let hint = suggestion(for: store, among: ImportedRow.stores)
            throw Flaw(message: "no store can be asked that is \(name)" + hint)
        }
        guard isValidIdentifier(id, limit: ImportedRow.idLimit) else {
            throw Flaw(message: "an id has 1 to \(ImportedRow.idLimit) bytes and no control characters")
        }
        guard app.map({ isValidIdentifier($0) }) ?? true else {
            throw Flaw(message: "an app has 1 to 255 bytes and no control characters")
        }
    }
}

/// A word of a list, quoted to say which. Nil for anything that may be a purchase token or a person's name in the wrong column:
/// what is told may end in a log.
private func word(_ text: String) -> String? {
    let isWord = text.utf8.count <= 20 && text.utf8.allSatisfy { $0.isLetterOrDigit || $0 == UInt8(ascii: "_") }
    return isWord && !text.isEmpty ? quoted(text) : nil
}
