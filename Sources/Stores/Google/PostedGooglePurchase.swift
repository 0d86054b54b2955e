public import Domain
public import StoreInterface

/// A purchase that an app holds: Google signs nothing that could be checked here, so it is read from Google.
public struct PostedGooglePurchase: Sendable, Equatable {
    public var token: String
    /// What was bought, as the app has it: tells which kind of purchase is asked for first, and proves nothing.
    public var product: String?
    /// Nil: the only one that is configured.
    public var package: String?

    public init(token: String, product: String? = nil, package: String? = nil) {
        self.token = token
        self.product = product
        self.package = package
    }
}

/// Reads what apps post. Blocks.
public protocol PostedPurchaseReader: Sendable {
    /// What Google says of it now, as an event like a webhook's.
    func read(_ posted: PostedGooglePurchase) throws(VerificationError) -> Event
}

extension GooglePurchase {
    /// An app posted its token. `readAt` may be older than the reading, where nothing has changed since.
    public func posted(body: [UInt8], id: String) -> Event {
        var event = statement(body: body, id: id)
        event.type = "PURCHASE"
        event.kind = postedKind
        return event
    }

    /// What is not acknowledged yet has just been bought.
    private var postedKind: EventKind {
        if state == .pending { return .purchasePending }
        guard isUnacknowledged else { return .contractUpdated }
        return kind == .subscription ? startKind : .purchaseCompleted
    }
}
