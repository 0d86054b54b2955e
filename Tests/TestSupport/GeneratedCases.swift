import Glibc

/// How many of the generated cases a run takes: of histories, permutations and pairs there are thousands, which take
/// minutes, and a share of them finds most of what all of them find. CI runs them whole: `PAYCAST_TESTS=whole`.
public enum GeneratedCases {
    public static let areWhole = getenv("PAYCAST_TESTS").map { String(cString: $0) } == "whole"

    /// Whether the case of this number is among those of a run that takes one of `step`.
    public static func take(_ number: Int, oneOf step: Int) -> Bool {
        areWhole || number % step == 0
    }

    /// How many of `whole` rounds, rows or messages: all, or one of `step`.
    public static func count(of whole: Int, oneOf step: Int) -> Int { areWhole ? whole : max(1, whole / step) }
}
