internal import Encoding

/// The stand-in's list of voided purchases for one package. Pure.
struct GoogleVoidList {
    private static let pageSize = 1000

    private var entries: [(voidedAt: Int64, json: [UInt8])] = []

    var count: Int { entries.count }

    /// Returns false if the JSON is not an entry.
    mutating func add(_ json: [UInt8]) -> Bool {
        guard let entry = JSONNode(json), let voidedAt = entry["voidedTimeMillis"]?.text.flatMap({ Int64($0) }) else {
            return false
        }
        entries.append((voidedAt, json))
        return true
    }

    /// Takes the parameters that Google documents. Returns nil for a page that does not exist.
    func page(_ parameter: (String) -> String?) -> [UInt8]? {
        let start = parameter("startTime").flatMap { Int64($0) } ?? .min
        let end = parameter("endTime").flatMap { Int64($0) } ?? .max
        let size = min(parameter("maxResults").flatMap { Int($0) } ?? GoogleVoidList.pageSize, GoogleVoidList.pageSize)
        guard let first = Int(parameter("token") ?? "0"), first >= 0, size > 0, start <= end else { return nil }
        let found = entries.filter { (start...end).contains($0.voidedAt) }
        let shown = found.dropFirst(first).prefix(size).map { String(decoding: $0.json, as: UTF8.self) }
        let isLast = found.count - shown.count <= first
        let next = isLast ? "" : #","tokenPagination":{"nextPageToken":"\#(first + size)"}"#
        return Array(#"{"voidedPurchases":[\#(shown.joined(separator: ","))]\#(next)}"#.utf8)
    }
}
