import TestSupport
import Testing

@testable import Rails

extension BroadcastInbox {
    /// A listener that has been started.
    func listener(
        _ url: String,
        prefix: String? = nil,
        adapter: RailsCableAdapter? = nil,
        timing: BroadcastTiming = .quick()
    ) throws -> BroadcastListener {
        let settings = RailsCableSettings(url: try RailsCableURL(url), prefix: prefix, adapter: adapter)
        let listener = try #require(
            BroadcastListener(railsCable: settings, timing: timing, log: log, metrics: metrics, submit: submit)
        )
        listener.start(heal: heal)
        return listener
    }

    /// What arrived on stream `s`, as `update` was given it.
    var updates: [String] {
        now.texts.compactMap { text in
            text.split(separator: "<template>").last?.split(separator: "</template>").first.map(String.init)
        }
    }

    func isReady(_ listener: BroadcastListener) -> Bool {
        wait { _ in listener.problems.isEmpty }
    }

    func hears(_ texts: [String]) -> Bool {
        wait { $0.texts.count >= texts.count } && updates == texts
    }
}
