import Domain
import HTTPClient
import Stores

/// Says what became of each page, and which line of the proxy's configuration is missing. Pure.
struct TrialJudge {
    let trials: [(kind: PageTrial.Kind, outcome: PageTrial.Outcome)]
    let advice: ProxyAdvice
    /// The origin of the pages; nil if they are the server's own.
    let page: String?
    let patience: Duration?

    var findings: [Finding] { trials.map { finding($0.kind, $0.outcome) } }

    private func finding(_ kind: PageTrial.Kind, _ outcome: PageTrial.Outcome) -> Finding {
        guard let opened = outcome.opened else {
            return .fail(kind.rawValue, detail: outcome.failure.map { reason($0, of: kind) } ?? silence(of: kind))
        }
        let begin = "connected in \(opened.milliseconds) ms"
        if let ended = outcome.ended {
            return .fail(
                kind.rawValue,
                detail:
                    "\(begin), cut after \(ended.components.seconds) s (\(outcome.failure?.text ?? "no reason")). Missing: "
                    + advice.line(for: .idleCut)
            )
        }
        guard let received = outcome.received else {
            let what = outcome.round > 1 ? "deaf after \(patience?.components.seconds ?? 0) s" : "no fragment in 5 s"
            let line = kind.transport == .sse ? advice.line(for: .heldBack) : advice.line(for: .idleCut)
            return .fail(kind.rawValue, detail: "\(begin), \(what): the proxy holds back what comes. Missing: \(line)")
        }
        let rest = outcome.round > 1 ? ", also after \(patience?.components.seconds ?? 0) s of silence" : ""
        return .ok(kind.rawValue, detail: "\(begin), fragment after \(received.milliseconds) ms\(rest)")
    }

    /// It neither opened nor failed.
    private func silence(of kind: PageTrial.Kind) -> String {
        // Then even the answer to an upgrade may be held back.
        let holdsBack = trials.contains { $0.kind.transport == .sse && !$0.outcome.isOpen && $0.outcome.failure == nil }
        let what = kind.transport == .sse ? "no event in 5 s: the proxy holds them back" : "not open in 5 s"
        return "\(what). Missing: \(advice.line(for: kind.transport == .sse || holdsBack ? .heldBack : .noUpgrade))"
    }

    private func reason(_ failure: PageFailure, of kind: PageTrial.Kind) -> String {
        switch failure.kind {
        case .webSocket(.status(404)) where kind == .cable: cableNotFound(failure)
        // The answer to a request of which nobody has seen that it wanted an upgrade.
        case .webSocket(.status(200)), .webSocket(.status(400)), .webSocket(.status(426)): noUpgrade(failure)
        case .webSocket(.handshake): "\(failure.text). Missing: \(advice.line(for: .noUpgrade))"
        case .webSocket(.status(403)), .answer(403, code: "origin_not_allowed"), .foreignOrigin: refusedOrigin(failure)
        case .webSocket(.timedOut), .http(.timedOut): silence(of: kind)
        case .answer(let status, code: nil): "\(failure.text): is Paycast behind /streams, with status \(status)?"
        default: failure.text
        }
    }

    private func noUpgrade(_ failure: PageFailure) -> String {
        "the upgrade does not reach the server (\(failure.text)). Missing: \(advice.line(for: .noUpgrade))"
    }

    private func refusedOrigin(_ failure: PageFailure) -> String {
        if let page { return "pages of \(page) are refused: add it to PAYCAST_ALLOWED_ORIGINS of the server" }
        return
            "the server takes its own pages for those of another site. Missing: \(advice.line(for: .ownOrigin)); and "
            + "PAYCAST_TRUSTED_PROXIES of the server must name the proxy"
    }

    /// As Rails does, `/cable` says the same of a lost upgrade and of a refused origin. The raw WebSocket tells which.
    private func cableNotFound(_ failure: PageFailure) -> String {
        let plain = trials.first { $0.kind == .webSocket }?.outcome
        switch plain?.failure?.kind {
        case .webSocket(.status(403)): return refusedOrigin(failure)
        case nil where plain?.isOpen == true: return "\(failure.text) The proxy must forward /cable, too"
        default: return noUpgrade(failure)
        }
    }
}
