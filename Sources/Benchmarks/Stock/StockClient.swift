/// What a page does, to the letter of the client that it ships with. Pure: the driver has the socket.
///
/// Times are nanoseconds of the monotonic clock.
protocol StockClient {
    /// How a report names it.
    var name: String { get }
    /// When `wake` has to be called; `.max` for never.
    var wakeAt: UInt64 { get }

    /// The head of the request with which it connects, without `Host` and `Origin`.
    func request() -> String
    /// The answer's status is there.
    mutating func answered(status: Int, now: UInt64, _ actions: inout [StockAction])
    mutating func received(_ bytes: UnsafeRawBufferPointer, now: UInt64, _ actions: inout [StockAction])
    /// The connection ended, or could not be made.
    mutating func closed(now: UInt64)
    mutating func wake(now: UInt64, _ actions: inout [StockAction])
    /// The page is shown again after a sleep in which its socket died and nobody told it.
    mutating func shown(now: UInt64)
}

/// What the driver does for a client.
enum StockAction {
    case connect
    case close
    case send([UInt8])
    /// HTML for Turbo.
    case apply([UInt8])
    /// From now on messages arrive.
    case subscribed
    /// The source element was replaced by one that opens this.
    case become(any StockClient)
}

let millisecond: UInt64 = 1_000_000
let second: UInt64 = 1_000_000_000

/// `seconds` as nanoseconds.
func nanoseconds(_ seconds: Double) -> UInt64 { UInt64(max(0, seconds) * 1e9) }
