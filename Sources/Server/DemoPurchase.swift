internal import Gateway
internal import Simulator
struct DemoPurchase {
    init?(_ b: [UInt8]) { nil }
    func deliver(to: String, apiKey: String, workspace: DevelopmentWorkspace) -> Response { Response(status: 500) }
}
