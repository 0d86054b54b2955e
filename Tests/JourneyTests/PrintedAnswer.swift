import TestSupport
import Testing

/// The `name  value` lines that a command prints.
struct PrintedAnswer {
    private let lines: [[Substring]]

    init(_ process: RunningProcess) throws {
        let code = try process.waitForExit()
        #expect(code == 0, "\(process.errors)")
        lines = process.output.split(separator: "\n").map { $0.split(separator: " ", maxSplits: 1) }
    }

    subscript(name: String) -> String {
        get throws {
            let line = try #require(lines.first { $0.first.map(String.init) == name }, "no \(name)")
            return String(try #require(line.last).drop { $0 == " " })
        }
    }
}
