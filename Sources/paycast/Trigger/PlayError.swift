internal import Simulator

/// Why a scenario ended before its end, or not as it should.
enum PlayError: Error {
    case driver(StoreDriverError)
    case watch(CommandFailure)
    /// The server does not take a genuine delivery.
    case refused(StoreDriver.Delivery)
    /// The server takes a delivery that was changed after signing.
    case tamperingAccepted(status: Int)
    case outcome(String?, expected: String)
    /// What the page received in place of what was expected.
    case page(Expectation, received: [PageWatch.Message])
    /// A page showed again what had passed.
    case setback(Setback)

    /// `refusal` explains an answer of the server.
    func message(_ refusal: (StoreDriver.Delivery) -> CommandFailure) -> String {
        switch self {
        case .driver(let error): "\(error)"
        case .watch(let failure): failure.message
        case .refused(let delivery): refusal(delivery).message
        case .tamperingAccepted(let status): "the server answers \(status) to a delivery that was changed after signing"
        case .outcome(let outcome, let expected): "the outcome is \(outcome ?? "not told"), not \(expected)"
        case .setback(let setback):
            "a page was taken back: \(setback.label), delivered late, turned \(setback.before) into \(setback.after)"
        case .page(let expected, let received) where received.contains(where: expected.isNamed):
            "the page was only told to reload, not \(expected): the server has no template for it; start it with --public"
        case .page(let expected, let received):
            "the page did not receive \(expected) in time"
                + (received.isEmpty
                    ? "; nothing came" : "; it received \(received.map(\.description).joined(separator: ", "))")
        }
    }
}
