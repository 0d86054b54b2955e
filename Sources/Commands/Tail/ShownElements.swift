/// What was shown of a stream whose messages have no cursors, so that what the server repeats is not shown again. Pure.
///
/// After a reconnect a server repeats in their order the elements that were committed after the page's cursor, without those that
/// were transient or have been replaced since. What is new comes after them.
struct ShownElements {
    /// As many as a server's answer to a page that was away can hold, many times over.
    private static let limit = 100_000

    /// Of their bytes, with a key that only this process knows.
    private var hashes: [Int] = []
    /// What comes is compared with those from here on.
    private var next: Int?

    var isEmpty: Bool { hashes.isEmpty }

    /// The server may repeat now.
    mutating func beginRepetition() { next = 0 }

    /// Whatever comes from now on is new.
    mutating func endRepetition() { next = nil }

    /// The server will not repeat any of these.
    mutating func forget() { self = ShownElements() }

    /// Whether it is new; it is taken for shown then.
    mutating func add(_ element: StreamElement) -> Bool {
        let hash = ShownElements.hash(element.html)
        if let start = next, let found = hashes[start...].firstIndex(of: hash) {
            next = found + 1
            return false
        }
        // It may stand for what the server has no more, between those that it repeats.
        if element.action != "refresh" { endRepetition() }
        hashes.append(hash)
        if hashes.count > ShownElements.limit {
            let surplus = ShownElements.limit / 2
            hashes.removeFirst(surplus)
            next = next.map { max(0, $0 - surplus) }
        }
        return true
    }

    private static func hash(_ html: String) -> Int {
        var hasher = Hasher()
        var html = html
        html.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        return hasher.finalize()
    }
}
