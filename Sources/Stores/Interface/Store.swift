public import Domain
public import Settings

/// A store whose webhooks Paycast accepts, with the settings that were read for it. Everything specific to a store is
/// in its folder: `Stores.all` lists it, and the pipeline knows it only through this protocol.
public protocol Store: Sendable {
    associatedtype Opened: OpenStore

    static var provider: Provider { get }
    /// As people write it: “App Store”.
    static var title: String { get }

    /// Reads the store's variables. A wrong one is reported to the reader and gets its default here.
    init(_ settings: inout SettingsReader)

    /// The variables that are missing, without which the store's webhooks are answered 503. Empty in development, where
    /// the simulated store supplies what is not set.
    var missingSettings: [String] { get }

    /// Whether something of the store is set, so that its webhooks are expected.
    var isExpected: Bool { get }

    /// Whether the store's API can be called, to confirm the end of a period or to set an order's token.
    var hasAPI: Bool { get }

    /// Adopts the keys and secrets that a reload may change. A wrong one keeps its old value and does not hold up the
    /// others.
    mutating func reload(from new: Self, changes: inout SettingsChanges)

    /// Nil when settings are missing.
    func open(_ surroundings: StoreSurroundings) throws(StoreError) -> Opened?

    /// What `paycast doctor` finds out about the store. It blocks while it calls the store's API.
    func examine(_ examination: StoreExamination) -> StoreFindings
}

extension Store {
    public var isExpected: Bool { missingSettings.isEmpty }
    public var hasAPI: Bool { false }

    /// For a store whose only setting is a secret.
    public func examine(_ examination: StoreExamination) -> StoreFindings { StoreFindings() }
}

/// A store with its settings in force.
public protocol OpenStore: Sendable {
    var verifier: any StoreVerifier { get }
    /// Nil without a key of the store's API.
    var api: (any StoreAPI)? { get }
    /// A purchase that does not exist. Only a key that may read purchases is told so; the server asks to learn whether
    /// ours may. Nil if the server calls the API regularly anyway.
    var nobodysPurchase: ContractKey? { get }
}

extension OpenStore {
    public var api: (any StoreAPI)? { nil }
    public var nobodysPurchase: ContractKey? { nil }
}

/// A store without an API can be its own verifier.
extension OpenStore where Self: StoreVerifier {
    public var verifier: any StoreVerifier { self }
}

/// Why a store cannot be opened with its settings. Safe to print; the text says what to do.
public struct StoreError: Error, Equatable, CustomStringConvertible {
    public let description: String

    public init(_ description: String) {
        self.description = description
    }
}
