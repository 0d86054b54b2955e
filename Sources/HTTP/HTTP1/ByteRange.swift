/// The one part of a file that a request asks for (RFC 9110 §14).
public enum ByteRange: Equatable, Sendable {
    /// The whole file: there is no range, there are several, or the unit is not bytes.
    case whole
    case part(Range<Int>)
    /// None of its bytes exist: 416.
    case unsatisfiable

    public init(_ text: String?, size: Int) {
        self = .whole
        guard let text, Array(text.utf8.prefix(6))[...].isSameToken(as: "bytes=") else { return }
        let bounds = text.utf8.dropFirst(6).split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard bounds.count == 2, let first = ByteRange.number(bounds[0]), let last = ByteRange.number(bounds[1])
        else { return }
        switch (first, last) {
        case (nil, nil): return
        case (nil, let suffix?): self = suffix == 0 || size == 0 ? .unsatisfiable : .part(max(0, size - suffix)..<size)
        case (let first?, let last):
            guard last.map({ $0 >= first }) ?? true else { return }
            self = first < size ? .part(first..<min(size, last.map { $0 + 1 } ?? size)) : .unsatisfiable
        }
    }

    /// The outer nil means that this is not a number, the inner nil that it is empty.
    private static func number(_ digits: Substring.UTF8View) -> Int?? {
        guard !digits.isEmpty else { return .some(nil) }
        guard digits.count <= 15, digits.allSatisfy(isDigit) else { return nil }
        return digits.reduce(0) { $0 * 10 + Int($1 - 48) }
    }
}
