// The part of Network that the shells use. https://developer.apple.com/documentation/network/nwpathmonitor

public import Dispatch

public struct NWPath: Sendable {
    public enum Status: Sendable { case satisfied, unsatisfied, requiresConnection }
    public var status: Status { fatalError("stub") }
}

public final class NWPathMonitor: Sendable {
    public init() {}
    public var pathUpdateHandler: (@Sendable (NWPath) -> Void)? {
        get { fatalError("stub") }
        set { fatalError("stub") }
    }
    public func start(queue: DispatchQueue) { fatalError("stub") }
    public func cancel() { fatalError("stub") }
}
