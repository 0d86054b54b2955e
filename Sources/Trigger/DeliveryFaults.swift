/// What goes wrong on purpose between a store and the server.
struct DeliveryFaults: Equatable {
    /// How often the same bytes are delivered.
    var copies = 1
    /// How long after signing it is delivered, by the server's clock.
    var delay = Duration.zero
    /// One byte is changed after signing; the server must refuse the delivery.
    var isTampered = false
    /// An older statement of the store is delivered after it.
    var isStale = false
    /// It never arrives; only the store's history contains it.
    var isLost = false

    static let none = DeliveryFaults()

    /// These faults combined with `others`.
    func merging(_ others: DeliveryFaults) -> DeliveryFaults {
        DeliveryFaults(
            copies: max(copies, others.copies),
            delay: max(delay, others.delay),
            isTampered: isTampered || others.isTampered,
            isStale: isStale || others.isStale,
            isLost: isLost || others.isLost
        )
    }
}
