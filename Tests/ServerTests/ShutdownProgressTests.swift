import Support
import TestSupport
import Testing

@testable import Server

@Suite(.blocking) struct ShutdownProgressTests {
    @Test func namesWhatIsWaitedFor() {
        let lines = Monitor<[String]>([])
        let log = Log(level: .info, format: .text, clock: Clock()) { line in lines.change { $0.append(line) } }
        let progress = ShutdownProgress(log, patience: .milliseconds(1))
        for part in ["pages", "the ledger's writer"] {
            progress.wait(for: part) {
                lines.wait { lines in lines.contains { $0.contains(part) } ? () : nil }
            }
        }
        progress.end()
        let count = lines.withLock { $0.count }
        #expect(lines.withLock { $0.allSatisfy { $0.contains("still draining waits_for=") } })
        #expect(count >= 2)
    }
}
