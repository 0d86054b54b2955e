public import Domain

/// A purchase that an app holds. Google signs nothing that could be verified here, so it is read from Google.
public struct PostedGooglePurchase: Sendable, Equatable {
    public var token: String
    /// The product according to the app. It decides which kind of purchase to ask for first, and proves nothing.
    public var product: String?
    /// Nil for the only package that is configured.
    public var package: String?

    public init(token: String, product: String? = nil, package: String? = nil) {
        self.token = token
        self.product = product
        self.package = package
    }
}

extension GooglePurchase {
    /// The event for a posted token. `readAt` may be older than the reading if nothing has changed since.
    public func posted(body: [UInt8], id: String) -> Event {
        var event = statement(body: body, id: id)
        event.type = "PURCHASE"
        event.kind = postedKind
        return event
    }

    /// A purchase that is not acknowledged yet has just been made.
    private var postedKind: EventKind {
        if state == .pending { return .purchasePending }
        guard isUnacknowledged else { return .contractUpdated }
        return kind == .subscription ? startKind : .purchaseCompleted
    }
}
