internal import Simulator

/// Why a scenario ended early, or failed.
enum PlayError: Error {
    case driver(StoreDriverError)
    case watch(CommandFailure)
    /// The server refused a genuine delivery.
    case refused(StoreDriver.Delivery)
    /// The server accepted a delivery that was changed after signing.
    case tamperingAccepted(status: Int)
    case outcome(String?, expected: String)
    /// The page did not receive what was expected; `received` is what it got instead.
    case page(Expectation, received: [PageWatch.Message])
    /// A page went back to an older state.
    case regression(StateRegression)

    /// `refusal` explains a delivery that the server refused.
    func message(_ refusal: (StoreDriver.Delivery) -> CommandFailure) -> String {
        switch self {
        case .driver(let error): "\(error)"
        case .watch(let failure): failure.message
        case .refused(let delivery): refusal(delivery).message
        case .tamperingAccepted(let status): "the server answers \(status) to a delivery that was changed after signing"
        case .outcome(let outcome, let expected): "the outcome is \(outcome ?? "unknown"), not \(expected)"
        case .regression(let regression):
            "a page moved back: \(regression.label), delivered late, turned \(regression.before) into \(regression.after)"
        case .page(let expected, let received) where received.contains(where: expected.isNamed):
            "the page was only told to reload, not \(expected): the server has no template for it; start it with --public"
        case .page(let expected, let received):
            "the page did not receive \(expected) in time"
                + (received.isEmpty
                    ? "; nothing arrived" : "; it received \(received.map(\.description).joined(separator: ", "))")
        }
    }
}
