public import Domain

/// The settings of a node that must be those of all nodes, as digests: a node's heartbeat carries them.
public struct NodeSettings: Sendable, Equatable {
    public struct Setting: Sendable, Equatable {
        /// One for each item of a list, in ascending order. Empty if the setting is not set.
        public var digests: [String]
        /// Since when, by the database's clock.
        public var since: Instant
    }

    /// By the setting's name.
    public private(set) var settings: [String: Setting] = [:]

    public init() {}

    /// Takes the digests of now. What has not changed keeps its time.
    public mutating func adopt(_ digests: [String: [String]], at now: Instant) {
        settings = digests.reduce(into: [:]) { next, found in
            let digests = found.value.sorted()
            let known = settings[found.key].flatMap { $0.digests == digests ? $0 : nil }
            next[found.key] = known ?? Setting(digests: digests, since: now)
        }
    }
}

/// A line for each setting: its name, since when, and its digests.
extension NodeSettings: CustomStringConvertible {
    public var description: String {
        settings.sorted { $0.key < $1.key }.map { name, setting in
            "\(name) \(setting.since.milliseconds) \(setting.digests.joined(separator: ","))"
        }.joined(separator: "\n")
    }

    /// Leaves out what another version has written in another form.
    public init(_ text: String) {
        for line in text.split(separator: "\n") {
            let parts = line.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
            guard parts.count == 3, let since = Int64(parts[1]) else { continue }
            settings[String(parts[0])] = Setting(
                digests: parts[2].split(separator: ",").map(String.init),
                since: Instant(milliseconds: since)
            )
        }
    }
}

extension SharedLedgerReport {
    /// The index of the first item that all other nodes have as well; nil without one. A node that was killed counts for another
    /// minute; an older node, which does not tell its settings, never does.
    public func firstOfAll(_ items: [(setting: String, digest: String)]) -> Int? {
        let others = nodes.filter { $0.name != asker && !$0.settings.settings.isEmpty }
        return items.firstIndex { item in
            others.allSatisfy { $0.settings.settings[item.setting]?.digests.contains(item.digest) ?? false }
        }
    }
}

/// A setting that is not the same on all nodes.
public struct SettingDifference: Sendable, Equatable {
    /// How long nodes may be replaced, or reloaded, one after the other.
    static let patience = Duration.seconds(300)

    public var setting: String
    /// When it began, by the database's clock.
    public var since: Instant
    /// The names of the nodes that agree with each other. The most come first.
    public var groups: [[String]]
    /// True once it has lasted for longer than a deployment should.
    public var isLasting: Bool

    /// One sentence, which says what to do.
    public var sentence: String {
        let nodes = groups.map { $0.joined(separator: ", ") }.joined(separator: " | ")
        let todo = "give all nodes the same, then reload (SIGHUP) or restart them"
        return "\(setting) is not the same on all nodes since \(since.iso8601) (\(nodes)): \(todo)"
    }
}

extension SharedLedgerReport {
    /// Three heartbeats. A node that is silent for longer hangs, or was killed.
    private static let silence: Int64 = 10

    /// Nodes that do not tell their settings are older ones, which a deployment will replace.
    var comparableNodes: [Node] {
        nodes.filter { $0.silentSeconds <= SharedLedgerReport.silence && !$0.settings.settings.isEmpty }
    }

    /// The settings in which living nodes differ, by name. One that a node does not tell is new in the others' version.
    public var differences: [SettingDifference] {
        let nodes = comparableNodes
        let names = Set(nodes.flatMap(\.settings.settings.keys)).sorted()
        return names.compactMap { name in
            let told = nodes.compactMap { node in node.settings.settings[name].map { (node: node.name, setting: $0) } }
            let groups = Dictionary(grouping: told) { $0.setting.digests }.values.map { $0.map(\.node).sorted() }
            guard groups.count > 1 else { return nil }
            // Two nodes differ from the moment when the later one became what it is.
            let pairs = told.flatMap { one in
                told.filter { $0.setting.digests != one.setting.digests }.map {
                    max($0.setting.since, one.setting.since)
                }
            }
            let since = pairs.min() ?? now
            return SettingDifference(
                setting: name,
                since: since,
                groups: groups.sorted { ($1.count, $0[0]) < ($0.count, $1[0]) },
                isLasting: since + SettingDifference.patience <= now
            )
        }
    }

    /// The nodes that stay ready however long a difference lasts: the largest group of equal settings; among groups of one
    /// size, the one that has been so for longer. A load balancer that asks `/ready` then takes the others out, and never all
    /// nodes at once: those that stay agree with each other.
    var standard: Set<String> {
        let groups = Dictionary(grouping: comparableNodes) { $0.settings.settings.mapValues(\.digests) }.values
        let ranked = groups.map { group in
            let newest = group.flatMap(\.settings.settings.values).map(\.since).max() ?? now
            return (names: group.map(\.name).sorted(), since: newest)
        }
        let first = ranked.min { one, other in
            (-one.names.count, one.since, one.names[0]) < (-other.names.count, other.since, other.names[0])
        }
        return Set(first?.names ?? [])
    }

    /// What `/ready` and `doctor` say of the differences, one sentence each. Whoever asks without being a node is told
    /// everything that lasts as a problem.
    public var settingSentences: (problems: [String], warnings: [String]) {
        let differences = differences
        guard !differences.isEmpty else { return ([], []) }
        let isProblem = asker.map { !standard.contains($0) } ?? true
        let problems = differences.filter { $0.isLasting && isProblem }
        return (problems.map(\.sentence), differences.filter { !problems.contains($0) }.map(\.sentence))
    }
}
