/// What is due at which tick. Adding an id costs the same with ten of them as with a hundred thousand; a tick costs
/// according to what is due.
///
/// An id is due once, and whoever wants it again adds it again. None is removed before: an id that means nothing any more
/// is dropped when it is due, at most one turn later.
struct TimerWheel<ID: Sendable>: Sendable {
    private var spokes: ContiguousArray<[ID]>
    private var now = 0
    /// The last fraction of a turn that was given out, in 2⁻⁶⁴.
    private var phase = UInt64.random(in: .min ... .max)

    /// `period` is the number of ticks in one turn, at least 1.
    init(period: Int) {
        spokes = ContiguousArray(repeating: [], count: max(1, period))
    }

    var period: Int { spokes.count }

    /// Due after 1…`ticks`, spread so that thousands are not due together: multiples of the golden ratio lie evenly.
    mutating func add(_ id: ID, within ticks: Int) {
        phase &+= 0x9E37_79B9_7F4A_7C15
        add(id, after: 1 + Int(phase.multipliedFullWidth(by: UInt64(ticks)).high))
    }

    /// Due after `ticks`, clamped to 1…period.
    mutating func add(_ id: ID, after ticks: Int) {
        spokes[(now + min(max(1, ticks), period)) % period].append(id)
    }

    /// Advances by one tick and takes what is due.
    mutating func tick() -> [ID] {
        now = (now + 1) % period
        defer { spokes[now] = [] }
        return spokes[now]
    }
}
