import HTTPClient
import Stores
import Testing

@testable import Commands

@Suite struct TrialJudgeTests {
    struct Case: Sendable {
        var kind = PageTrial.Kind.webSocket
        var outcome: PageTrial.Outcome
        var server: String? = "nginx/1.22.1"
        var page: String?
        var level = Finding.Level.fail
        var says: [String]
    }

    @Test(arguments: [
        Case(
            outcome: standing(received: .milliseconds(3)),
            level: .ok,
            says: ["connected in 20 ms, fragment after 3 ms"]
        ),
        Case(
            outcome: failed(.webSocket(.status(200))),
            says: ["upgrade", "nginx: “proxy_http_version 1.1;”, “proxy_set_header Upgrade $http_upgrade;”"]
        ),
        Case(outcome: failed(.webSocket(.status(200))), server: "Apache/2.4", says: ["Apache: “upgrade=websocket”"]),
        Case(outcome: failed(.webSocket(.status(200))), server: nil, says: ["nginx: ", "Apache: ", "HAProxy: "]),
        Case(outcome: failed(.webSocket(.status(403))), says: ["$http_host", "PAYCAST_TRUSTED_PROXIES"]),
        Case(
            outcome: failed(.webSocket(.status(403))),
            page: "https://shop.test",
            says: ["https://shop.test", "PAYCAST_ALLOWED_ORIGINS"]
        ),
        Case(kind: .events1, outcome: .init(), says: ["holds them back", "“proxy_buffering off;”"]),
        Case(kind: .events1, outcome: standing(received: nil), says: ["no fragment", "“proxy_buffering off;”"]),
        Case(
            kind: .events2,
            outcome: failed(.answer(403, code: "origin_not_allowed")),
            page: "https://shop.test",
            says: ["PAYCAST_ALLOWED_ORIGINS"]
        ),
        Case(
            outcome: standing(received: .zero, ended: .seconds(31)),
            says: ["cut after 31 s", "“proxy_read_timeout 60s;”"]
        ),
        Case(
            outcome: standing(received: .zero, ended: .seconds(31)),
            server: nil,
            says: ["HAProxy: “timeout client 60s”, “timeout server 60s” and “timeout tunnel 1h”"]
        ),
        Case(outcome: failed(.rejected), says: ["what it said"]),
    ]) func namesTheMissingLine(_ given: Case) throws {
        let finding = try #require(judge([(given.kind, given.outcome)], given.server, given.page).findings.first)
        #expect(finding.level == given.level && finding.what == given.kind.rawValue)
        for words in given.says { #expect(finding.detail.contains(words), "\(finding.detail)") }
    }

    /// `/cable` answers 404 to both.
    @Test func tellsALostUpgradeFromARefusedOrigin() throws {
        let lost = failed(.webSocket(.status(404)))
        for (plain, words) in [(200, "$connection_upgrade"), (403, "$http_host")] {
            let trials = [(PageTrial.Kind.webSocket, failed(.webSocket(.status(plain)))), (.cable, lost)]
            let finding = try #require(judge(trials, "nginx", nil).findings.last)
            #expect(finding.detail.contains(words), "\(finding.detail)")
        }
        let open = judge([(.webSocket, standing(received: .zero)), (.cable, lost)], "nginx", nil).findings.last
        #expect(open?.detail.contains("/cable") == true)
    }

    /// Caddy’s buffer_responses keeps the answer to an upgrade, too.
    @Test func tellsALostUpgradeFromAnAnswerThatIsHeldBack() throws {
        for (events, words) in [
            (standing(received: .zero), "$connection_upgrade"), (.init(), "“proxy_buffering off;”"),
        ] {
            let finding = judge([(.events1, events), (.webSocket, .init())], "nginx", nil).findings.last
            #expect(finding?.detail.contains(words) == true, "\(String(describing: finding))")
        }
    }

    private func judge(
        _ trials: [(PageTrial.Kind, PageTrial.Outcome)],
        _ server: String?,
        _ page: String?
    ) -> TrialJudge {
        TrialJudge(trials: trials, advice: ProxyAdvice(server: server), page: page, patience: .seconds(75))
    }
}

private func failed(_ kind: PageFailure.Kind) -> PageTrial.Outcome {
    PageTrial.Outcome(failure: PageFailure(kind, "what it said"))
}

private func standing(received: Duration?, ended: Duration? = nil) -> PageTrial.Outcome {
    let failure = ended.map { _ in PageFailure(.ended, "the server has ended the stream") }
    return PageTrial.Outcome(opened: .milliseconds(20), received: received, ended: ended, failure: failure, round: 1)
}
