/// The name that was most likely meant; nil when no name is close enough to be a typo of it.
public func nearest(to word: String, among names: [String]) -> String? {
    let distances = names.map { (name: $0, distance: editDistance(word.lowercased(), to: $0.lowercased())) }
    guard let best = distances.min(by: { $0.distance < $1.distance }) else { return nil }
    return best.distance <= max(2, word.count / 3) && best.distance < best.name.count ? best.name : nil
}

/// The number of insertions, deletions, replacements and swaps of neighbors that turn one text into the other
/// (https://en.wikipedia.org/wiki/Damerau–Levenshtein_distance, the variant of optimal string alignment).
public func editDistance(_ left: String, to right: String) -> Int {
    let left = Array(left.prefix(100))
    let right = Array(right.prefix(100))
    guard !left.isEmpty, !right.isEmpty else { return max(left.count, right.count) }
    var rows = [Array(0...right.count)]
    for row in 1...left.count {
        var current = [row]
        for column in 1...right.count {
            let isSame = left[row - 1] == right[column - 1]
            var cost = min(
                rows[row - 1][column] + 1,
                current[column - 1] + 1,
                rows[row - 1][column - 1] + (isSame ? 0 : 1)
            )
            let isSwap =
                row > 1 && column > 1 && left[row - 1] == right[column - 2] && left[row - 2] == right[column - 1]
            if isSwap { cost = min(cost, rows[row - 2][column - 2] + 1) }
            current.append(cost)
        }
        rows.append(current)
    }
    return rows[left.count][right.count]
}
