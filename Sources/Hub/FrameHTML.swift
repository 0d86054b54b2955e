/// The text of one frame. It contains each distinct refresh only once.
struct FrameHTML {
    private(set) var bytes: [UInt8] = []
    /// Compared as bytes: a refresh that names the request behind it differs from others, and a page may ignore it.
    private var refreshes: [[UInt8]] = []

    mutating func append(_ part: Part) {
        if part.isRefresh {
            guard !refreshes.contains(part.html) else { return }
            refreshes.append(part.html)
        }
        bytes += part.html
    }
}
