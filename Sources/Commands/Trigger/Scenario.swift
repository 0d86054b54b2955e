import Domain
import Simulator

/// The life of one purchase, step by step.
struct Scenario: Equatable {
    struct Step: Equatable {
        var event: StoreEventParser.Event
        var line: Int
        /// How long after the previous step, by the server's clock.
        var after: Duration
        /// The product that is bought, or changed to.
        var product: String?
        var faults = DeliveryFaults.none
        /// The fragments that the user's page must receive.
        var expected: [Expectation] = []
        /// The outcome that the server must answer.
        var outcome: String?

        /// The first of these events happens then; one second passes between them.
        static func all(_ events: [StoreEventParser.Event], line: Int, after: Duration) -> [Step] {
            events.enumerated().map { Step(event: $1, line: line, after: $0 == 0 ? after : .seconds(1)) }
        }
    }

    var steps: [Step]

    /// The built-in scenarios. Each store plays the steps that it knows; the others are left out.
    static let builtIn: KeyValuePairs<String, String> = [
        "life": """
        initial       expect success
        +29d renew    expect manage
        +30d grace    expect warn_billing
        +3d recover   expect manage
        +1d refund    expect revoked
        +1d reversed  expect success
        """,
        "lapse": """
        initial       expect success
        +10d cancel   expect ending
        +30d expire
        """,
        "recovery": """
        initial       expect success
        +29d retry    expect fix_billing
        +5d recover   expect success
        """,
    ]

    /// The checks that passed although the events arrived in another order.
    var whatShufflingChecks: String {
        let isTimeless = steps.allSatisfy { $0.faults.delay == .zero }
        var checks = isTimeless ? ["no late event moved a page back"] : []
        if let last = steps.last, !last.expected.isEmpty {
            checks.append("in the end the page shows what the last step expects")
        }
        let between = steps.dropLast().count { !$0.expected.isEmpty || $0.outcome != nil }
        let steps = between == 1 ? "1 earlier step expects" : "\(between) earlier steps expect"
        let rest = between == 0 ? "" : "; not checked: what \(steps), which holds only in order"
        return (checks.isEmpty ? "checked nothing" : "checked: " + checks.joined(separator: ", ")) + rest
    }

    static var names: [String] { builtIn.map(\.key) }
}

/// Faults that are made on purpose between a store and the server.
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
