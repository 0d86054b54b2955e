import Domain
import Server
import Support
import TestSupport
import Testing

@Suite struct HookSettingsTests {
    private static let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    private static let other = "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"

    private func hooks(_ urls: String, _ secrets: String) throws -> [HookAddress] {
        try Configuration(environment: ["PAYCAST_HOOK_URLS": urls, "PAYCAST_HOOK_SECRETS": secrets]).hooks
    }

    @Test func oneSecretIsForAll() throws {
        let hooks = try hooks("https://a.example/h, http://[::1]:4040", HookSettingsTests.secret)
        #expect(hooks.map(\.target.address) == ["https://a.example/h", "http://[::1]:4040"])
        #expect(hooks.allSatisfy { $0.secrets.map(\.value) == [HookSettingsTests.secret] })
        #expect(hooks.allSatisfy { $0.target.types == HookType.usual })
    }

    @Test func anAddressHasItsOwnAndThoseOfAll() throws {
        let (secret, other) = (HookSettingsTests.secret, HookSettingsTests.other)
        let hooks = try hooks("https://a.example,https://b.example/?x=y", "https://b.example/?x=y=\(other),\(secret)")
        #expect(hooks.map { $0.secrets.map(\.value) } == [[secret], [other, secret]])
    }

    @Test func typesAreChosen() throws {
        let hooks = try hooks("https://a.example/h#user.erased,https://b.example", HookSettingsTests.secret)
        #expect(hooks.map(\.target.address) == ["https://a.example/h", "https://b.example"])
        #expect(hooks.map(\.target.types) == [[.userErased], HookType.usual])
    }

    struct Problem: Sendable, CustomTestStringConvertible {
        var urls: String
        var secrets = HookSettingsTests.secret
        var blamed = "PAYCAST_HOOK_URLS"
        var testDescription: String { "\(urls) \(secrets)" }
    }

    @Test(arguments: [
        Problem(urls: "http://backend.example"), Problem(urls: "backend.example"), Problem(urls: "https://"),
        Problem(urls: "http://127.0.0.1.evil.example"), Problem(urls: "https://user:hunter2@backend.example"),
        Problem(urls: "https://a.example#hunter2"), Problem(urls: "https://a.example,https://a.example"),
        Problem(urls: ","), Problem(urls: "https://a.example:99999"), Problem(urls: "https://a.example:port"),
        Problem(urls: "https://a.example/\u{1}"),
        Problem(urls: "https://a.example", secrets: "hunter2hunter2hunter2", blamed: "PAYCAST_HOOK_SECRETS"),
        Problem(urls: "https://a.example", secrets: "whsec_c2hvcnQ=", blamed: "PAYCAST_HOOK_SECRETS"),
        Problem(urls: "https://a.example", secrets: "https://hunter2=\(secret)", blamed: "PAYCAST_HOOK_SECRETS"),
        Problem(urls: "https://a.example", secrets: "", blamed: "PAYCAST_HOOK_SECRETS"),
    ]) func namesTheVariable(_ given: Problem) throws {
        let error = #expect(throws: ConfigurationError.self) { try hooks(given.urls, given.secrets) }
        #expect(error?.problems.contains { $0.name == given.blamed } == true)
        #expect(error?.description.contains("hunter2") == false)
    }

    @Test func secretsAreReplacedWhileTheServerRuns() throws {
        let folder = TemporaryFolder()
        let environment = [
            "PAYCAST_HOOK_URLS": "https://a.example",
            "PAYCAST_HOOK_SECRETS_FILE": folder.write(HookSettingsTests.secret, to: "secret"),
        ]
        var configuration = try Configuration(environment: environment)
        folder.write("\(HookSettingsTests.other),\(HookSettingsTests.secret)", to: "secret")
        #expect(configuration.reload().names == ["PAYCAST_HOOK_SECRETS"])
        let reloaded = configuration.hooks
        #expect(reloaded.first?.secrets.count == 2)
        folder.write("whsec_broken", to: "secret")
        #expect(configuration.reload().names.isEmpty && configuration.hooks == reloaded)
    }
}
