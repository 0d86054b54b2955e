public import Domain

/// A store's events for the steps of a purchase's life: their names, with the subtype after a slash if the store has
/// one.
public struct LifecycleEventNames: Sendable {
    public let provider: Provider
    private let names: StepNames

    /// A one-time purchase has fewer steps, with other event names.
    public init(_ provider: Provider, kind: ProductKind = .subscription) {
        self.provider = provider
        let store = SimulatedStores.store(provider)
        names = (kind == .subscription ? store?.steps : store?.stepsOnce) ?? [:]
    }

    /// The steps that this store knows.
    public var steps: [LifecycleStep] { names.map(\.key) }

    /// Returns nil if this store has no such event.
    public func event(for step: LifecycleStep) -> (type: String, subtype: String?)? {
        names.first { $0.key == step }.map { LifecycleEventNames.split($0.value) }
    }

    /// The step that a store announces first if it sends two events: RevenueCat announces a new plan, then reports the
    /// payment.
    public func prelude(to step: LifecycleStep) -> LifecycleStep? {
        provider == .revenuecat && step == .upgrade && event(for: step) != nil ? .downgrade : nil
    }

    /// The first step that the event stands for. Returns nil for an event that stands for no step.
    public func step(of type: String, subtype: String?) -> LifecycleStep? {
        let event = subtype.map { "\(type)/\($0)" } ?? type
        return names.first { $0.value == event }?.key
    }

    /// Splits `TYPE/SUBTYPE` into its two parts.
    public static func split(_ event: String) -> (type: String, subtype: String?) {
        let slash = event.firstIndex(of: "/") ?? event.endIndex
        return (String(event[..<slash]), slash == event.endIndex ? nil : String(event[event.index(after: slash)...]))
    }
}
