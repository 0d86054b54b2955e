import APIModel
import Commands
import Domain
import Stores

/// Creates the token that a purchase carries.
struct CreateOrder: Command {
    static let name = "order"
    static let summary = "create an order: the token that a purchase carries"
    static let help = """
        Create an order: the token that a purchase carries, and what a page needs.

        Usage: paycast order --user USER --product PRODUCT [OPTIONS]

        Options:
          --user USER           who pays
          --product PRODUCT     what is bought, by the store's id
          --provider NAME       \(sellerNames)
          --group GROUP         the group in which one product is active at a time
          --kind KIND           subscription, non_renewing, non_consumable, consumable
          --token UUID          use this token, which the app has generated itself
          --json                the server's answer as JSON
        \(RemoteServer.optionsHelp)

        Example: paycast order --user 42 --product monthly
        """

    private let remote: RemoteServer
    private let request: CreateOrderRequest
    private let printsJSON: Bool

    init(_ arguments: inout Arguments) throws(UsageError) {
        remote = try RemoteServer(&arguments)
        printsJSON = try arguments.flag("--json")
        let user = try arguments.required("--user")
        var request = CreateOrderRequest(user: UserID(user), product: try arguments.required("--product"))
        request.group = try arguments.option("--group")
        request.token = try arguments.option("--token")
        request.provider = try arguments.choice("--provider", among: Stores.sellers.map { $0.provider.rawValue })
        request.kind = try arguments.choice("--kind", among: ProductKind.allCases.map(\.rawValue))
        if let token = request.token, OrderToken(token) == nil {
            throw UsageError("--token must be a UUID, not \(quoted(token))")
        }
        self.request = request
    }

    func run() throws(CommandFailure) -> Int32 {
        let bytes = try remote.post(request, to: "/orders")
        guard !printsJSON, let answer = JSON.decode(CreateOrderAnswer.self, from: bytes) else {
            printJSON(bytes)
            return 0
        }
        let order = answer.order
        let stream = answer.stream
        printColumns([
            ("order", order.order), ("user", order.user.text), ("product", order.product), ("stream", stream.stream),
            ("signed_stream", stream.signedStream), ("since", stream.since), ("sse", stream.sse),
            ("websocket", stream.websocket),
        ])
        return 0
    }
}
