internal import HTTP
internal import Pages

/// Decides who may see `/ready` and `/metrics`.
extension Authorization {
    /// True if the request comes from this machine, or has a key.
    func isOperator(_ request: Request) -> Bool {
        isOfThisMachine(request) || isTrusted(request.credentials)
    }

    /// A request from loopback may come from a proxy that does not say for whom, or from a browser that shows a page
    /// whose name its owner has pointed at this machine (DNS rebinding). Both put the name that they used into `Host`.
    private func isOfThisMachine(_ request: Request) -> Bool {
        request.isLocal && request.head.host.map { HostName($0).isLoopback } ?? true
    }
}
