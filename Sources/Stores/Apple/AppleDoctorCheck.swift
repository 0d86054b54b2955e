import Crypto
public import Domain
import Glibc
import HTTPClient

extension AppleStore {
    public func examine(_ examination: StoreExamination) -> StoreFindings {
        AppleDoctorCheck(store: self, examination: examination).run()
    }
}

/// Whether Apple accepts the key and reaches the server: requests a test notification in each environment.
struct AppleDoctorCheck {
    /// In seconds. Apple delivers at once, and even a slow answer from the server has been recorded by then.
    private static let patience = 20

    let store: AppleStore
    let examination: StoreExamination
    private let client = HTTPClient(timeout: .seconds(10))

    func run() -> StoreFindings {
        var store = store
        // Unreadable roots have a finding of their own. Without them, Apple is asked with its own roots.
        if (try? store.roots(nil)) == nil { store.rootsPath = nil }
        let verifier: AppleVerifier?
        do throws(StoreError) {
            verifier = try store.verifier(examination.dependencies)
        } catch {
            return StoreFindings([.fail("Apple API", detail: "\(error)")])
        }
        guard let verifier, let api = store.serverAPI(verifier, client: client, dependencies: examination.dependencies)
        else {
            let todo = "create an In-App Purchase key in App Store Connect, Users and Access, Integrations"
            let detail = "no key is set, so missed notifications cannot be fetched: \(todo)"
            return StoreFindings([.warn("Apple API", detail: detail)])
        }
        let now = examination.now
        let findings = store.apps(examination.dependencies.development).flatMap { app in
            StoreEnvironment.ofStores.filter(store.environments.contains).map {
                test(api.of(app), app: app, in: $0, now: now)
            }
        }
        return StoreFindings(findings, clock: date.map { ("Apple", $0) })
    }

    /// The time according to Apple.
    private var date: Instant? {
        guard store.serverKey != nil, !examination.isDevelopment else { return nil }
        let address = store.address(of: .production, development: examination.dependencies.development)
        let response = try? client.send("GET", to: (address ?? "") + "/")
        return response?.header("Date").flatMap(Instant.init(httpDate:))
    }

    private func test(_ api: AppleServerAPI, app: String, in environment: StoreEnvironment, now: Instant) -> Finding {
        let what = "Apple \(environment.rawValue)"
        do throws(StoreAPIError) {
            let token = try api.requestTest(in: environment, now: now)
            for _ in 0..<AppleDoctorCheck.patience {
                if let result = try attempt(api, of: token, in: environment, now: now) {
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

    /// The result of Apple's newest delivery attempt, or nil if Apple has not tried yet.
    private func attempt(
        _ api: AppleServerAPI,
        of token: String,
        in environment: StoreEnvironment,
        now: Instant
    ) throws(StoreAPIError) -> String? {
        do throws(StoreAPIError) {
            return try api.testStatus(token, in: environment, now: now).attempts.last?.result
        } catch {
            // Apple's servers do not all know a new test at once.
            guard case .refused(404, _, _) = error else { throw error }
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
        let expiry = AppleCertificateExpiry(now: now)
        guard let rootsPath else { return expiry.findings(.apple) }
        do throws(TrustedRootsError) {
            return expiry.findings(try TrustedRoots.load(from: rootsPath))
        } catch {
            return [.fail("Apple root", detail: "\(error)")]
        }
    }
}

/// When the certificates expire that verify Apple's documents. Pure.
struct AppleCertificateExpiry {
    /// In days. A root cannot be replaced within a week.
    private static let notice = 180

    let now: Instant

    func findings(_ roots: TrustedRoots) -> [Finding] {
        let todo = "get the new one from www.apple.com/certificateauthority, or a newer Paycast"
        return roots.certificates.compactMap { CertificateSummary(der: $0) }.map {
            .expiry("Apple root", of: $0, at: now, notice: AppleCertificateExpiry.notice, todo: todo)
        } + leaf
    }

    /// The certificate with which Apple signed when this was written.
    private var leaf: [Finding] {
        guard let end = Instant(iso8601: "2027-10-13T00:00:00Z"), now < end else { return [] }
        let news = "the current signing certificate expires on 2027-10-13; its successor needs no change here"
        return [.ok("Apple leaf", detail: news)]
    }
}
