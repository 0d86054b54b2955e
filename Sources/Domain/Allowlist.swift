/// Accepts anything, or only the values of a list.
public enum Allowlist<Value: Hashable & Sendable>: Sendable, Equatable {
    case any
    case only(Set<Value>)

    /// A list that names values does not contain an unknown one.
    public func contains(_ value: Value?) -> Bool {
        switch self {
        case .any: true
        case .only(let values): value.map { values.contains($0) } ?? false
        }
    }

    /// True when nothing is accepted.
    public var isEmpty: Bool { self == .only([]) }
}
