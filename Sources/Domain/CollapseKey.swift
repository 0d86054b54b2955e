/// What a fragment replaces on a page: an action and a target. Keys are compared as bytes, as DOM ids are.
public struct CollapseKey: Sendable {
    public let text: String

    public init(_ text: String) {
        self.text = text
    }
}

extension CollapseKey: Hashable {
    public static func == (left: CollapseKey, right: CollapseKey) -> Bool { left.text.hasSameBytes(as: right.text) }

    public func hash(into hasher: inout Hasher) { text.hashBytes(into: &hasher) }
}

extension CollapseKey: ExpressibleByStringInterpolation {
    public init(stringLiteral text: String) {
        self.init(text)
    }
}
