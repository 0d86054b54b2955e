/// How much a loop does before it asks its sockets again, so that a burst for some pages makes nobody else wait. Counted in
/// bytes that it writes, in which everything else has its price: some milliseconds on any machine.
struct LoopTurn {
    static let bytes = 4 << 20
    /// The kernel takes as long for a call as for copying so much.
    private static let write = 4 << 10
    private static let mail = 1 << 10
    private static let queued = 256

    private var left = LoopTurn.bytes

    var isOver: Bool { left <= 0 }

    mutating func wrote(_ bytes: Int) { left -= bytes + LoopTurn.write }

    /// One item of mail, whatever it says.
    mutating func handledMail() { left -= LoopTurn.mail }

    /// A message was put into the queues of so many pages.
    mutating func queued(for pages: Int) { left -= pages * LoopTurn.queued }
}
