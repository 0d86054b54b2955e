import Encoding

/// How Rails writes a GlobalID: `gid://APP/MODEL/ID`.
///
/// APP is the application's name, underscored and with dashes in place of underscores
/// (https://github.com/rails/globalid/blob/main/lib/global_id/railtie.rb), MODEL is a class name, and ID is escaped as
/// by `CGI.escape`, or is several such ids joined by slashes.
enum GlobalIDSpelling {
    private static let scheme = "gid://"

    static func isMeant(_ part: String) -> Bool { part.asciiLowercased.hasPrefix("gid:/") }

    /// True when the part so far ends with a model, whose name may continue after two colons.
    static func lacksID(_ part: String) -> Bool {
        isMeant(part) && pieces(of: part).count == 2
    }

    /// The same GlobalID as Rails would spell it; nil when one of the three parts is missing or malformed. `{user}` may
    /// stand only in the id.
    static func right(_ part: String) -> String? {
        let pieces = pieces(of: part)
        guard pieces.count == 3, let app = app(pieces[0]), let model = model(pieces[1]), let id = id(pieces[2])
        else { return nil }
        return "\(scheme)\(app)/\(model)/\(id)"
    }

    private static func pieces(of part: String) -> [String] {
        let path = part.utf8.dropFirst("gid:".utf8.count).drop { $0 == UInt8(ascii: "/") }
        return path.split(separator: UInt8(ascii: "/"), maxSplits: 2, omittingEmptySubsequences: false)
            .map { String(decoding: Array($0), as: UTF8.self) }
    }

    /// `MyShop` → `my-shop`, `HTMLShop` → `html-shop`, `my_shop` → `my-shop`.
    private static func app(_ text: String) -> String? {
        let bytes = Array(text.utf8)
        var result: [UInt8] = []
        for (index, byte) in bytes.enumerated() {
            let previous = index > 0 ? bytes[index - 1] : nil
            let next = index + 1 < bytes.count ? bytes[index + 1] : nil
            let beginsWord = previous.map { $0.isLower || $0.isDigit || $0.isUpper && next?.isLower == true }
            if byte.isUpper, beginsWord == true { result.append(UInt8(ascii: "-")) }
            result.append(byte == UInt8(ascii: "_") ? UInt8(ascii: "-") : byte.isUpper ? byte | 0x20 : byte)
        }
        let isName = result.allSatisfy { $0.isLower || $0.isDigit || "-.".utf8.contains($0) }
        return isName && !result.isEmpty ? String(decoding: result, as: UTF8.self) : nil
    }

    /// `user_account` → `UserAccount`, `admin::user` → `Admin::User`.
    private static func model(_ text: String) -> String? {
        let names = text.split(separator: ":", omittingEmptySubsequences: false)
        // Splitting at `::` leaves an empty name between the two colons.
        guard names.count % 2 == 1, names.enumerated().allSatisfy({ $0.offset % 2 == 0 || $0.element.isEmpty })
        else { return nil }
        let classes = stride(from: 0, to: names.count, by: 2).map { className(names[$0]) }
        guard classes.allSatisfy({ $0 != nil }) else { return nil }
        return classes.compactMap { $0 }.joined(separator: "::")
    }

    private static func className(_ text: Substring) -> String? {
        guard let first = text.utf8.first, first.isLower || first.isUpper,
            text.utf8.allSatisfy({ $0.isLower || $0.isUpper || $0.isDigit || $0 == UInt8(ascii: "_") })
        else { return nil }
        if first.isUpper { return String(text) }
        return text.split(separator: "_").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    }

    /// Text that is already escaped is not escaped twice.
    private static func id(_ text: String) -> String? {
        guard !text.isEmpty, !text.utf8.contains(where: { "?#".utf8.contains($0) }), text.utf8.last != UInt8(ascii: "/")
        else { return nil }
        return text.pieces(around: "{user}").map { piece in
            piece.split(separator: "/", omittingEmptySubsequences: false).map { escaped($0) }.joined(separator: "/")
        }.joined(separator: "{user}")
    }

    private static func escaped(_ text: Substring) -> String {
        PercentEncoding.encode(PercentEncoding.decode(text, plusIsSpace: true) ?? String(text), spaceIsPlus: true)
    }
}
