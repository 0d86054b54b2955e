import Domain
import Pages
import Support

/// Logs changes of the template files. One thread owns it.
struct TemplateWatch {
    private let templates: TemplateLoader
    private let log: Log
    private var told: [TemplateWarning]

    /// Logs the warnings that already exist at the start.
    init(_ templates: TemplateLoader, log: Log) {
        self.templates = templates
        self.log = log
        told = templates.warnings
        for warning in told { log.warning("template", fields: ["problem": warning]) }
    }

    /// Looks at the files again. Returns true if pages look different from now on.
    mutating func refresh(at now: Instant) -> Bool {
        let changes = templates.refresh(at: now)
        let warnings = templates.warnings
        if changes.hasOwnFolder {
            log.info("templates", fields: ["effect": "those of fragments/ are served in place of the program's own"])
        }
        for file in changes.updated { log.info("template loaded", fields: ["file": file]) }
        for file in changes.removed {
            let effect = warnings.first { $0.file == file && $0.isRemoved }?.effect ?? "was never served"
            log.warning("template removed", fields: ["file": file, "effect": effect])
        }
        for warning in warnings where !told.contains(warning) && !warning.isRemoved {
            log.warning("template", fields: ["problem": warning])
        }
        told = warnings
        for problem in changes.broken {
            log.error("template broken, last good version kept", fields: ["problem": problem])
        }
        return changes.hasOwnFolder || !(changes.updated.isEmpty && changes.removed.isEmpty)
    }
}

/// Decides when returning free memory to the system is worthwhile: after a crowd and after a burst, which leave enough behind
/// that it is worth some milliseconds. Pure.
struct MemoryTrimSchedule {
    private struct Count {
        /// It has to have risen by so much, and by less than `calm` within the last second: while connections come and go, or
        /// messages, the next one reuses the memory.
        let least: Int
        let calm: Int
        var trimmedAt = 0
        private var last = 0

        init(least: Int, calm: Int) {
            self.least = least
            self.calm = calm
        }

        mutating func isDue(_ count: Int) -> Bool {
            defer { last = count }
            return count - last < calm && count - trimmedAt >= least
        }
    }

    /// After a burst once more: by then, pages that read slowly have taken what waited for them, or have been closed.
    private static let secondsUntilRepetition = 45

    private var connections = Count(least: 64, calm: 1)
    private var bytes = Count(least: 16 << 20, calm: 256 << 10)
    private var repetition: Int?

    /// Call it once a second with the number of connections that have ended so far, and of bytes that were published.
    mutating func isDue(ended: Int, published: Int) -> Bool {
        let isAfterCrowd = connections.isDue(ended)
        let isAfterBurst = bytes.isDue(published)
        repetition = repetition.map { $0 - 1 }
        let isRepeated = repetition == 0
        if isAfterBurst { repetition = MemoryTrimSchedule.secondsUntilRepetition }
        guard isAfterCrowd || isAfterBurst || isRepeated else { return false }
        connections.trimmedAt = ended
        bytes.trimmedAt = published
        return true
    }
}
