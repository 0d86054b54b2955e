internal import APIModel
internal import HTTP
internal import Pages

/// `/console/attention`: what needs somebody, each with what to do.
struct AttentionPage: ConsolePage {
    func show(_ visit: Visit) throws(ConsoleError) -> Response {
        let found = try visit.api.get(AttentionAnswer.self, from: .attention)
        let count = found.problems.count + found.warnings.count
        let body = visit.render(
            "attention",
            [
                "lead": .text(count == 0 ? "This server is well." : "This server names \(count) of its own troubles."),
                "sentences": .markup(visit.sentences(problems: found.problems, warnings: found.warnings)),
                "unclaimed_count": .text(
                    found.unclaimedContracts == 1 ? "1 in all." : "\(found.unclaimedContracts) in all."
                ),
                "unclaimed": .markup(visit.rows.table(found.unclaimed, caption: "The newest unclaimed")),
                "quarantined": .markup(visit.rows.table(found.quarantined, caption: "The newest quarantined")),
                "node": .text(found.node), "refused": .markup(refused(found.refused, visit)),
                "jobs": .markup(jobs(found.jobs, visit)), "hooks": .markup(hooks(found.hooks, visit)),
                "failed": .markup(failed(found.failedHooks, visit)),
            ]
        )
        return visit.page("Attention", body)
    }

    private func list(_ name: String, _ rows: [Markup], _ visit: Visit) -> Markup {
        guard !rows.isEmpty else { return visit.render("events.nothing", ["text": "There is none."]) }
        return visit.render(name, ["rows": .markup(rows.joined())])
    }

    private func refused(_ refused: [AttentionAnswer.Refused], _ visit: Visit) -> Markup {
        let rows = refused.map { refusal in
            visit.render(
                "attention.refusal",
                [
                    "at": .markup(visit.time(refusal.at)), "route": .text(refusal.route),
                    "client": .text(refusal.client ?? "unknown"), "reason": .text(refusal.reason),
                    "message": .text(refusal.message), "bytes": .text(String(refusal.bytes)),
                ]
            )
        }
        return list("attention.refusals", rows, visit)
    }

    private func jobs(_ jobs: [AttentionAnswer.Job], _ visit: Visit) -> Markup {
        let rows = jobs.map { job in
            visit.render(
                "attention.job",
                [
                    "kind": .text(job.kind), "provider": .text(job.provider), "subject": .text(job.subject),
                    "attempts": .text(String(job.attempts)), "deadline": .markup(visit.time(job.deadline)),
                    "state": .text(job.abandonedAt == nil ? "waiting" : "given up"), "reason": .text(job.reason ?? ""),
                ]
            )
        }
        return list("attention.jobs", rows, visit)
    }

    private func hooks(_ hooks: [HooksAnswer.Hook], _ visit: Visit) -> Markup {
        let rows = hooks.map { hook in
            visit.render(
                "attention.hook",
                [
                    "url": .text(hook.url), "state": .text(hook.state), "since": .markup(visit.time(hook.failingSince)),
                    "waiting": .text(String(hook.waiting)), "reason": .text(hook.reason ?? ""),
                ]
            )
        }
        return list("attention.hooks", rows, visit)
    }

    private func failed(_ failed: [HookDeliveriesAnswer.Delivery], _ visit: Visit) -> Markup {
        let rows = failed.map { delivery in
            visit.render(
                "attention.failure",
                [
                    "user": .markup(visit.rows.user(delivery.user)), "type": .text(delivery.type),
                    "url": .text(delivery.url), "at": .markup(visit.time(delivery.endedAt)),
                    "reason": .text(delivery.reason ?? ""),
                ]
            )
        }
        return rows.isEmpty ? .empty : list("attention.failed", rows, visit)
    }
}

extension Visit {
    /// `/ready` in sentences.
    func sentences(problems: [String], warnings: [String]) -> Markup {
        guard !problems.isEmpty || !warnings.isEmpty else { return render("attention.fine") }
        return problems.map { render("attention.problem", ["text": .text($0)]) }.joined()
            + warnings.map { render("attention.warning", ["text": .text($0)]) }.joined()
    }
}
