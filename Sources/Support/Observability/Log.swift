public import Domain
import Glibc

/// Writes one line per event to stderr, in one `write(2)` each, so that lines from several threads never mix.
///
/// The message is a constant; what varies goes into the fields. Never log secrets, tokens or payloads.
public struct Log: Sendable {
    public enum Level: CaseIterable, Comparable, Sendable {
        case debug, info, warning, error

        public var name: String { "\(self)" }
    }

    public enum Format: String, CaseIterable, Sendable {
        case text, json
    }

    public typealias Fields = KeyValuePairs<String, any CustomStringConvertible & Sendable>

    private let level: Level
    private let format: Format
    private let clock: Clock
    private let sink: @Sendable (String) -> Void
    /// Stands at the end of each line.
    private var trace: TraceID?

    public init(
        level: Level,
        format: Format,
        clock: Clock = Clock(),
        sink: @escaping @Sendable (String) -> Void = Log.standardError
    ) {
        self.level = level
        self.format = format
        self.clock = clock
        self.sink = sink
    }

    /// The same log, for what belongs to a trace of the app's backend.
    public func tracing(_ trace: TraceID?) -> Log {
        var log = self
        log.trace = trace
        return log
    }

    /// Drops everything: for tests that do not check the log.
    public static let silent = Log(level: .error, format: .text, sink: { _ in })

    /// A state worth knowing while developing.
    public func debug(_ message: StaticString, fields: @autoclosure () -> Fields = [:]) {
        write(.debug, message: message, fields: fields)
    }

    /// A change of state, or a request.
    public func info(_ message: StaticString, fields: @autoclosure () -> Fields = [:]) {
        write(.info, message: message, fields: fields)
    }

    /// A step on a purchase's way to the page: as `info` if it is traced, and otherwise as `debug`, since there may be
    /// thousands in a second.
    public func step(_ message: StaticString, fields: @autoclosure () -> Fields = [:]) {
        write(trace == nil ? .debug : .info, message: message, fields: fields)
    }

    /// Something that somebody may have to look at tomorrow.
    public func warning(_ message: StaticString, fields: @autoclosure () -> Fields = [:]) {
        write(.warning, message: message, fields: fields)
    }

    /// Something that somebody has to look at now.
    public func error(_ message: StaticString, fields: @autoclosure () -> Fields = [:]) {
        write(.error, message: message, fields: fields)
    }

    private func write(_ level: Level, message: StaticString, fields: () -> Fields) {
        guard level >= self.level else { return }
        var pairs = fields().map { ($0.key, String(describing: $0.value)) }
        if let trace { pairs.append(("trace_id", trace.description)) }
        let time = clock.now().iso8601
        switch format {
        case .text:
            let name = level.name.uppercased()
            let padding = String(repeating: " ", count: 7 - name.utf8.count)
            sink("\(time) \(name)\(padding) \(message)" + pairs.map { " \($0)=\(quotedIfNeeded($1))" }.joined())
        case .json:
            let head = [("time", time), ("level", level.name), ("message", "\(message)")]
            sink("{" + (head + pairs).map { "\(literal($0)):\(literal($1))" }.joined(separator: ",") + "}")
        }
    }

    @Sendable public static func standardError(_ line: String) {
        writeLine(line, to: 2)
    }

    /// For the one line that a parent process waits for.
    public static func standardOutput(_ line: String) {
        writeLine(line, to: 1)
    }

    private static func writeLine(_ line: String, to descriptor: Int32) {
        var bytes = Array(line.utf8)
        bytes.append(10)
        _ = Glibc.write(descriptor, bytes, bytes.count)
    }
}

private func quotedIfNeeded(_ text: String) -> String {
    let isPlainWord = !text.isEmpty && text.utf8.allSatisfy { $0 > 32 && $0 != 34 && $0 != 61 && $0 != 127 }
    return isPlainWord && !text.unicodeScalars.contains(where: \.steersTerminal) ? text : literal(text)
}

/// Control characters never reach the terminal or break a line.
private func literal(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
        switch scalar {
        case "\"": result += "\\\""
        case "\\": result += "\\\\"
        case "\n": result += "\\n"
        case _ where scalar.steersTerminal:
            let hex = String(scalar.value, radix: 16)
            result += "\\u" + String(repeating: "0", count: 4 - hex.utf8.count) + hex
        default: result.unicodeScalars.append(scalar)
        }
    }
    return result + "\""
}
