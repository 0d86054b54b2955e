import APIModel
import Domain
import Ledger
import Pages

/// `GET /attention`: what an operator should look at.
struct AttentionEndpoint {
    let services: Services

    func answer() -> Answer {
        .later { [services] reply in
            services.reader.ask({ try $0.attention(of: services.hooks.addresses.map(\.address)) }) { result in
                guard case .success(let found) = result else { return reply.send(.unreadable) }
                let isAsked = services.readiness { readiness in
                    reply.send(JSON.response(200, body: answer(found, readiness)))
                }
                if !isAsked { reply.send(.busy) }
            }
        }
    }

    private func answer(_ found: Attention, _ readiness: Readiness) -> AttentionAnswer {
        let epoch = services.epoch
        let hooks = zip(found.hooks, services.hooks.addresses).map { state, address in
            HooksAnswer.Hook(state, url: address.shown)
        }
        return AttentionAnswer(
            node: services.node,
            refused: services.refused.newest.map(AttentionAnswer.Refused.init),
            unclaimedContracts: found.unclaimedContracts,
            unclaimed: found.unclaimed.map { FeedItem($0, epoch: epoch) },
            quarantined: found.quarantined.map { FeedItem($0, epoch: epoch) },
            jobs: found.jobs.map { job in
                AttentionAnswer.Job(
                    job.job,
                    attempts: job.attempts,
                    queuedAt: job.queuedAt,
                    reason: job.reason,
                    abandonedAt: job.abandonedAt
                )
            },
            hooks: hooks.filter { $0.state != "ok" },
            failedHooks: found.failedHooks.map { delivery in
                var delivery = delivery
                // Who was erased is nowhere but in the message itself.
                if delivery.type == .userErased { delivery.user = "" }
                return HookDeliveriesAnswer.Delivery(
                    delivery,
                    url: services.hooks.shown(delivery.address),
                    epoch: epoch
                )
            },
            problems: readiness.problems,
            warnings: readiness.warnings,
            ledger: readiness.ledger
        )
    }
}

extension AttentionAnswer.Refused {
    fileprivate init(_ refusal: RefusedWebhooks.Refusal) {
        self.init(
            at: refusal.at,
            route: "/webhooks/\(refusal.provider)",
            client: refusal.client,
            reason: refusal.reason,
            message: refusal.message,
            setting: refusal.setting,
            bytes: refusal.bytes
        )
    }
}
