internal import Domain
internal import Simulator

/// What happens to one purchase, step by step.
struct Scenario: Equatable {
    struct Step: Equatable {
        var line: Int
        /// How much later than the step before, by the server's clock.
        var after: Duration
        /// In the store's words.
        var type: String
        var subtype: String?
        /// What it does to the purchase; nil when nothing of it is known.
        var meaning: LifeStep?
        /// What is bought, or changed to.
        var product: String?
        var faults = Faults.none
        /// Fragments that the user's page has to receive.
        var expected: [Expectation] = []
        /// What the server has to answer.
        var outcome: String?

        var label: String { subtype.map { "\(type)/\($0)" } ?? type }
    }

    var steps: [Step]

    /// Those that every store has some part of; steps that a store does not know are left out.
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

    static var names: [String] { builtIn.map(\.key) }
}

/// A file that cannot be played: `life.txt:3: …`.
struct ScenarioError: Error, Equatable {
    var line: Int
    var message: String
}
