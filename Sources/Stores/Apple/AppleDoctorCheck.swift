import Crypto
public import Domain
import Glibc

extension AppleStore {
    public func examine(_ dependencies: StoreDependencies, url: String?) -> [Finding] {
        var store = self
        // Unreadable roots have a finding of their own. Without them, Apple is asked with its own roots.
        if (try? store.roots(nil)) == nil { store.rootsPath = nil }
        let verifier: AppleVerifier?
        do throws(StoreError) {
            verifier = try store.verifier(dependencies)
        } catch {
            return [.fail("Apple API", detail: "\(error)")]
        }
        guard let verifier, let api = store.serverAPI(verifier, dependencies: dependencies) else {
            let todo = "create an In-App Purchase key in App Store Connect, Users and Access, Integrations"
            let detail = "no key is set, so missed notifications cannot be fetched: \(todo)"
            return [.warn("Apple API", detail: detail)]
        }
        return apps(dependencies.development).flatMap { app in
            StoreEnvironment.ofStores.filter(environments.contains).map {
                AppleDoctorCheck(api: api.of(app), app: app, environment: $0, now: dependencies.clock()).finding
            }
        }
    }
}

/// Whether Apple accepts the key and reaches the server: requests a test notification in one environment.
struct AppleDoctorCheck {
    /// In seconds. Apple delivers at once, and even a slow answer from the server has been recorded by then.
    private static let patience = 20

    let api: AppleServerAPI
    let app: String
    let environment: StoreEnvironment
    let now: Instant

    var finding: Finding {
        let what = "Apple \(environment.rawValue)"
        do throws(StoreAPIError) {
            let token = try api.requestTest(in: environment, now: now)
            for _ in 0..<AppleDoctorCheck.patience {
                if let result = try newestAttempt(of: token) {
                    return AppleDoctorCheck.finding(what, app: app, result: result)
                }
                sleep(1)
            }
            let late = "Apple has not tried to deliver the test notification of \(app) yet: run this again later"
            return .warn(what, detail: late)
        } catch {
            return .fail(what, detail: AppleDoctorCheck.explanation(of: error))
        }
    }

    /// Nil if Apple has not tried to deliver yet.
    private func newestAttempt(of token: String) throws(StoreAPIError) -> String? {
        do throws(StoreAPIError) {
            return try api.testStatus(token, in: environment, now: now).results.last
        } catch .refused(404, _, _) {
            // Apple's servers do not all know a new test at once.
            return nil
        }
    }

    static func finding(_ what: String, app: String, result: String) -> Finding {
        if result == "SUCCESS" { return .ok(what, detail: "the test notification of \(app) has arrived") }
        let todo =
            switch result {
            case "TLS_ISSUE": "the certificate chain is incomplete, or TLS 1.2 is missing"
            case "NO_RESPONSE", "TIMED_OUT", "SOCKET_ISSUE", "PREMATURE_CLOSE":
                "check the URL in App Store Connect, the name server and the firewall (17.0.0.0/8 is Apple's)"
            case "CIRCULAR_REDIRECT": "the URL in App Store Connect redirects: enter the final address there"
            case "UNSUCCESSFUL_HTTP_RESPONSE_CODE": "this server refused it, and its log says why"
            default: "Apple gives no other reason"
            }
        return .fail(what, detail: "Apple cannot deliver to the URL of \(app) (\(result)): \(todo)")
    }

    static func explanation(of error: StoreAPIError) -> String {
        switch error {
        case .unauthorized:
            "401: \(error). The key must be an In-App Purchase key, not one of the App Store Connect API, and not "
                + "revoked"
        case .refused(404, "4040007"?, _):
            "404: \(error). Set https://…/webhooks/apple under App Information, App Store Server Notifications, version 2"
        case .refused(404, nil, _): "404: \(error). Is PAYCAST_APPLE_API_URL right?"
        case .unavailable(let reason, _): "no answer: \(reason)"
        case .refused, .unreadable, .notYetKnown: "\(error)"
        }
    }
}

extension AppleStore {
    public func checkCertificates(at now: Instant) -> [Finding] {
        guard let rootsPath else { return TrustedRoots.apple.findings(at: now) }
        do throws(TrustedRootsError) {
            return try TrustedRoots.load(from: rootsPath).findings(at: now)
        } catch {
            return [.fail("Apple root", detail: "\(error)")]
        }
    }
}

extension TrustedRoots {
    /// When the certificates expire that verify Apple's documents. A root cannot be replaced within a week, so the notice
    /// is half a year.
    func findings(at now: Instant) -> [Finding] {
        let todo = "get the new one from www.apple.com/certificateauthority, or a newer Paycast"
        let roots = certificates.compactMap { CertificateSummary(der: $0) }.map {
            Finding.expiry("Apple root", of: $0, at: now, notice: 180, todo: todo)
        }
        // The certificate with which Apple signed when this was written.
        guard let end = Instant(iso8601: "2027-10-13T00:00:00Z"), now < end else { return roots }
        let news = "the current signing certificate expires on 2027-10-13; its successor needs no change here"
        return roots + [.ok("Apple leaf", detail: news)]
    }
}
