/// What goes wrong on purpose between a store and the server.
struct Faults: Equatable {
    /// How often the same bytes are delivered.
    var copies = 1
    /// How much later than it was signed, by the server's clock.
    var delay = Duration.zero
    /// One byte is changed after signing: the server has to refuse it.
    var isTampered = false
    /// What the store had said before arrives after it.
    var isStale = false
    /// It never arrives: the store's history alone knows of it.
    var isLost = false

    static let none = Faults()

    /// These, and what `others` add.
    func merging(_ others: Faults) -> Faults {
        Faults(
            copies: max(copies, others.copies),
            delay: max(delay, others.delay),
            isTampered: isTampered || others.isTampered,
            isStale: isStale || others.isStale,
            isLost: isLost || others.isLost
        )
    }
}
