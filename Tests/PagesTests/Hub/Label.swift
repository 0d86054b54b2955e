/// What a fragment of a test says: which entry or which transient message it belongs to, and its key.
struct Label: Hashable, CustomStringConvertible {
    var position: Int64 = 0
    var transient: Int?
    var key = ""

    func html(_ key: String) -> [UInt8] {
        let text = transient.map { "t\($0)" } ?? "\(position)"
        return Array("\(text)/\(key) ".utf8)
    }

    static func read(_ html: [UInt8]) -> [Label] {
        html.split(separator: UInt8(ascii: " ")).map { word in
            let parts = String(decoding: word, as: UTF8.self).split(separator: "/")
            let key = String(parts[1])
            return parts[0].hasPrefix("t")
                ? Label(transient: Int(parts[0].dropFirst()), key: key)
                : Label(position: Int64(parts[0]) ?? -1, key: key)
        }
    }

    var description: String { String(decoding: html(key), as: UTF8.self) }
}
