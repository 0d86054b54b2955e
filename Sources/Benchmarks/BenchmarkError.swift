import Glibc

/// The reason why a benchmark has no result.
enum BenchmarkError: Error, CustomStringConvertible {
    case system(String, Int32)
    case timedOut(waitingFor: String)
    /// The server refused; the value is its answer.
    case refused(String)
    case notStarted(String)
    /// A page does not show the newest version, or showed an older state in between.
    case hole(String)
    case unknown(String, known: [String])

    var description: String {
        switch self {
        case .system(let call, let code): "\(call): \(String(cString: strerror(code)))"
        case .timedOut(let what): "waited too long for \(what)"
        case .refused(let answer): "refused: \(answer)"
        case .notStarted(let reason): "not started: \(reason)"
        case .hole(let what): "HOLE: \(what)"
        case .unknown(let name, let known):
            "no benchmark is named '\(name)'; there are \(known.joined(separator: ", "))"
        }
    }
}
