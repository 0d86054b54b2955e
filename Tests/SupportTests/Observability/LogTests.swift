import Domain
import Support
import Synchronization
import Testing

@Suite struct LogTests {
    private let clock = Clock(startingAt: Instant(milliseconds: 0))

    private func line(_ format: Log.Format, value: String) -> String {
        let lines = Mutex<[String]>([])
        Log(level: .info, format: format, clock: clock) { line in lines.withLock { $0.append(line) } }
            .info("order created", fields: ["user": value])
        return lines.withLock { $0.first ?? "" }
    }

    @Test func textQuotesWhatWouldBreakALine() {
        #expect(line(.text, value: "42").hasSuffix(" INFO    order created user=42"))
        #expect(line(.text, value: "4 2\nERROR fake").hasSuffix(#"user="4 2\nERROR fake""#))
    }

    @Test func jsonIsOneObjectALine() {
        #expect(line(.json, value: "\"\u{1B}").hasSuffix(#""message":"order created","user":"\"\u001b"}"#))
    }

    @Test func levelsBelowAreNotEvenFormatted() {
        let log = Log(level: .warning, format: .text) { _ in Issue.record("nothing may be written") }
        log.info("quiet", fields: ["user": String(describing: Issue.record("the fields were built"))])
    }
}
