/// The state of a page: the version of each target.
struct PageState {
    /// The change that a fragment made.
    struct Change {
        let target: Int
        let old: Int
        let new: Int
    }

    static let targets = 2
    private static let label = Array(" data-v='".utf8)

    private var first: Int
    private var second: Int

    /// A page that the app rendered at `version`.
    init(version: Int) {
        first = 0
        second = 0
        for number in max(0, version - 1)...version { self[number % PageState.targets] = number }
    }

    subscript(target: Int) -> Int {
        get { target == 0 ? first : second }
        set { if target == 0 { first = newValue } else { second = newValue } }
    }

    func isCurrent(at version: Int) -> Bool {
        (max(0, version - 1)...version).allSatisfy { self[$0 % PageState.targets] >= $0 }
    }

    /// A fragment for `version`, for the target whose turn it is, with at least `size` bytes.
    static func fragment(_ version: Int, size: Int = 0) -> String {
        let target = version % targets == 0 ? "a" : "b"
        let head =
            "<turbo-stream action='replace' target='\(target)'><template><div id='\(target)' data-v='\(version)'>"
        let tail = "</div></template></turbo-stream>"
        return head + String(repeating: "x", count: max(0, size - head.utf8.count - tail.utf8.count)) + tail
    }

    /// Applies every fragment in `html`, in order.
    mutating func apply(_ html: [UInt8]) -> [Change] {
        var changes: [Change] = []
        var start = html.startIndex
        while let quote = html[start...].firstIndex(of: UInt8(ascii: "v")) {
            start = quote + 1
            guard quote >= 8, html.count > quote + 3, html[(quote - 6)..<(quote + 3)].elementsEqual(PageState.label)
            else {
                continue
            }
            var number = 0
            for digit in html[(quote + 3)...] {
                guard (48...57).contains(digit) else { break }
                number = number * 10 + Int(digit - 48)
            }
            let target = html[quote - 8] == UInt8(ascii: "a") ? 0 : 1
            changes.append(Change(target: target, old: self[target], new: number))
            self[target] = max(self[target], number)
        }
        return changes
    }
}
