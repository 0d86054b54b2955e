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
    mutating func refresh() -> Bool {
        let changes = templates.refresh()
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

/// Decides when returning free memory to the system is worthwhile. Pure.
struct MemoryTrimSchedule {
    /// This many connections leave enough memory behind that returning it is worth a few milliseconds.
    private static let crowd = 64

    private var trimmedAt = 0
    private var lastEnded = 0

    /// Call it once a second with the number of connections that have ended so far. It waits until none has ended for a
    /// second: while connections come and go, the next one reuses the memory.
    mutating func isDue(ended: Int) -> Bool {
        defer { lastEnded = ended }
        guard ended == lastEnded, ended >= trimmedAt + MemoryTrimSchedule.crowd else { return false }
        trimmedAt = ended
        return true
    }
}
