/// The body of `POST /refunds/apple/{id}`.
public struct RefundAnswerRequest: Codable, Sendable, Equatable {
    /// That the customer has agreed. Without it nothing is sent.
    public var customerConsented: Bool
    /// Apple's `deliveryStatus`.
    public var deliveryStatus: String
    /// Whether the customer could try it, or read what it does, before buying.
    public var sampleContentProvided: Bool
    /// In thousandths of a percent, as Apple counts.
    public var consumptionPercentage: Int64?
    /// Apple's `refundPreference`.
    public var refundPreference: String?
    /// For the audit.
    public var reason: String?

    public init(
        customerConsented: Bool,
        deliveryStatus: String,
        sampleContentProvided: Bool,
        reason: String? = nil
    ) {
        self.customerConsented = customerConsented
        self.deliveryStatus = deliveryStatus
        self.sampleContentProvided = sampleContentProvided
        self.reason = reason
    }
}
