public import Support

/// Moments after the clock's beginning.
extension MonotonicTime {
    public static let zero: MonotonicTime = 0

    public static func seconds(_ seconds: Int) -> MonotonicTime { zero + Duration.seconds(seconds) }

    public static func milliseconds(_ milliseconds: Int) -> MonotonicTime {
        zero + Duration.milliseconds(milliseconds)
    }
}
