/// Names a connection of one loop. No number is used twice.
public struct ConnectionID: Hashable, Sendable {
    public let number: UInt64

    public init(number: UInt64) {
        self.number = number
    }
}
