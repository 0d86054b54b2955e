internal import Pages
internal import Support

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
        for file in changes.updated { log.info("template loaded", fields: ["file": file]) }
        for file in changes.removed {
            let effect = warnings.first { $0.file == file && $0.cause == .removed }?.effect ?? "was never served"
            log.warning("template removed", fields: ["file": file, "effect": effect])
        }
        for warning in warnings where !told.contains(warning) && warning.cause != .removed {
            log.warning("template", fields: ["problem": warning])
        }
        told = warnings
        for problem in changes.broken {
            log.error("template broken, last good version kept", fields: ["problem": problem])
        }
        return !(changes.updated.isEmpty && changes.removed.isEmpty)
    }
}
