/// Behaves exactly like the client that a page ships with. Pure: the driver owns the socket.
///
/// Times are in nanoseconds of the monotonic clock.
public protocol StockClient {
    /// The client's name in reports.
    var name: String { get }
    /// When `wake` must be called; `.max` means never.
    var wakeAt: UInt64 { get }

    /// The head of the request with which it connects, without `Host` and `Origin`.
    func request() -> String
    /// The status of the answer has arrived.
    mutating func answered(status: Int, now: UInt64, into actions: inout [StockAction])
    mutating func received(_ bytes: UnsafeRawBufferPointer, now: UInt64, into actions: inout [StockAction])
    /// The connection ended, or could not be opened.
    mutating func closed(now: UInt64)
    mutating func wake(now: UInt64, into actions: inout [StockAction])
}

/// What a client asks the driver to do.
public enum StockAction {
    case connect
    case close
    case send([UInt8])
    /// HTML for Turbo.
    case apply([UInt8])
    /// From now on, messages arrive.
    case subscribed
    /// The source element was replaced by one that opens this client.
    case become(any StockClient)
}

public let millisecond: UInt64 = 1_000_000
public let second: UInt64 = 1_000_000_000

/// `seconds` as nanoseconds.
public func nanoseconds(_ seconds: Double) -> UInt64 { UInt64(max(0, seconds) * 1e9) }
