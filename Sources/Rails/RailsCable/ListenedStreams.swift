import Domain
import Support

/// Which streams are listened to. PostgreSQL has no wildcard for LISTEN, so each stream that a page follows is a channel of
/// its own, and stays one after the page has gone: it may return with its cursor.
///
/// The number of channels has a bound, because the server looks through all of them for each notification. When it is
/// reached, streams that no page follows make room. Their pages reload if they return: nobody hears what is broadcast to
/// them meanwhile.
///
/// Pure.
struct ListenedStreams {
    /// What to do about streams that pages follow.
    struct Change: Equatable {
        var listen: [StreamName] = []
        var giveUp: [StreamName] = []
    }

    /// Streams that make room are given up together, a part of all.
    private static let part = 10

    private let limit: Int
    /// A stream that was left out twice is followed no more.
    private let memory: Duration
    /// When a page was last known to follow it.
    private var followed: [StreamName: MonotonicTime] = [:]
    /// When a stream found no room.
    private var refusedAt: MonotonicTime?

    /// `repetition` is the interval at which every node says again what its pages follow.
    init(limit: Int, repetition: Duration) {
        self.limit = limit
        memory = repetition * 2.5
    }

    var all: some Collection<StreamName> { followed.keys }

    var count: Int { followed.count }

    /// More streams are followed than can be listened to.
    var isOverfull: Bool { refusedAt != nil }

    mutating func follow(_ streams: [StreamName], at now: MonotonicTime) -> Change {
        var change = Change()
        for stream in streams {
            if followed[stream] == nil {
                if followed.count >= limit { change.giveUp += makeRoom(at: now) }
                guard followed.count < limit else {
                    refusedAt = now
                    continue
                }
                change.listen.append(stream)
            }
            followed[stream] = now
        }
        return change
    }

    /// Returns true when every stream has found room again that was refused.
    mutating func recover(at now: MonotonicTime) -> Bool {
        guard let since = refusedAt, now >= since + memory else { return false }
        refusedAt = nil
        return true
    }

    private mutating func makeRoom(at now: MonotonicTime) -> [StreamName] {
        let left = followed.filter { now >= $0.value + memory }
        let oldest = left.sorted { $0.value < $1.value }.prefix(max(1, limit / ListenedStreams.part)).map(\.key)
        for stream in oldest { followed[stream] = nil }
        return oldest
    }
}
