internal import Domain

extension Duration {
    /// Parses a duration as a person types it: `31d`, `12h30m` or `90s`; at most ten years.
    public init(text: Substring) throws(DurationError) {
        let units: [Character: Int] = ["s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800]
        var total = 0
        var rest = text
        while !rest.isEmpty {
            let digits = rest.prefix { $0.isASCII && $0.isNumber }
            rest = rest.dropFirst(digits.count)
            guard digits.count <= 9, let number = Int(digits), let unit = rest.popFirst().flatMap({ units[$0] }) else {
                throw .unreadable(String(text))
            }
            total += number * unit
        }
        guard !text.isEmpty, total <= 3650 * 86_400 else { throw .tooLong(String(text)) }
        self = .seconds(total)
    }
}

public enum DurationError: Error, CustomStringConvertible {
    case unreadable(String)
    case tooLong(String)

    public var description: String {
        switch self {
        case .unreadable(let text): "\(quoted(text)) is not a duration such as 31d, 12h30m or 90s"
        case .tooLong(let text): "\(quoted(text)) is not a duration of at most ten years"
        }
    }
}
