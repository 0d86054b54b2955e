/// Names a connection of one loop. No number is used twice.
struct ConnectionID: Hashable, Sendable {
    let number: UInt64
}
