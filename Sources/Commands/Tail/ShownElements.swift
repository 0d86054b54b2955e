/// What was shown of a stream whose messages have no cursors, so that what the server repeats is not shown again. Pure.
///
/// After a reconnect a server repeats in their order the elements that were committed after the page's cursor, without those that
/// were transient or have been replaced since. What is new comes after them.
struct ShownElements {
    /// As many as a server's answer to a page that was away can hold, many times over.
    private static let limit = 100_000
    /// A server repeats at once, if it does. The first tick may come right after the connection opened.
    private static let quietTicks = 2
    /// A stream that is never quiet must not be compared for ever.
    private static let repetitionTicks = 6

    /// Of their bytes, with a key that only this process knows.
    private var hashes: [Int] = []
    /// What comes is compared with those from here on.
    private var next: Int?
    /// Since the repetition began, and since something came last.
    private var ticks = 0
    private var quiet = 0

    var isEmpty: Bool { hashes.isEmpty }

    /// The server may repeat now.
    mutating func beginRepetition() {
        next = 0
        ticks = 0
        quiet = 0
    }

    /// A second has passed. After a quiet one, whatever comes is new.
    mutating func tick() {
        ticks += 1
        quiet += 1
        if quiet >= ShownElements.quietTicks || ticks >= ShownElements.repetitionTicks { next = nil }
    }

    /// The server will not repeat any of these.
    mutating func forget() { self = ShownElements() }

    /// Whether it is new; it is taken for shown then. A refresh always is.
    mutating func add(_ element: StreamElement) -> Bool {
        quiet = 0
        // All have the same bytes, and one may stand for what the server has no more, between those that it repeats.
        if element.action == "refresh" { return true }
        let hash = ShownElements.hash(element.html)
        if let start = next, let found = hashes[start...].firstIndex(of: hash) {
            next = found + 1
            return false
        }
        next = nil
        hashes.append(hash)
        if hashes.count > ShownElements.limit { hashes.removeFirst(ShownElements.limit / 2) }
        return true
    }

    private static func hash(_ html: String) -> Int {
        var hasher = Hasher()
        var html = html
        html.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        return hasher.finalize()
    }
}
