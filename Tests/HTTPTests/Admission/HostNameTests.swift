import Testing

@testable import HTTP

@Suite struct HostNameTests {
    struct Name: Sendable {
        var authority: String
        var text: String
        var isLocal = false
    }

    @Test(arguments: [
        Name(authority: "localhost", text: "localhost", isLocal: true),
        Name(authority: "LOCALHOST:8080", text: "localhost", isLocal: true),
        Name(authority: "App.LocalHost", text: "app.localhost", isLocal: true),
        Name(authority: "web", text: "web", isLocal: true), Name(authority: "web.", text: "web", isLocal: true),
        Name(authority: "127.0.0.1:80", text: "127.0.0.1", isLocal: true),
        Name(authority: "203.0.113.9", text: "203.0.113.9", isLocal: true),
        Name(authority: "[::1]:8080", text: "::1", isLocal: true),
        Name(authority: "[2001:DB8::1]", text: "2001:db8::1", isLocal: true),
        Name(authority: "Evil.Example:80", text: "evil.example"),
        Name(authority: "evil.example.", text: "evil.example"),
        Name(authority: "127.0.0.1.evil.example", text: "127.0.0.1.evil.example"),
        Name(authority: "localhost.evil.example", text: "localhost.evil.example"),
        Name(authority: "\u{212A}.example", text: "\u{212A}.example"), Name(authority: "", text: "", isLocal: true),
        Name(authority: ":80", text: "", isLocal: true), Name(authority: ".", text: "", isLocal: true),
    ]) func readsAuthorities(_ name: Name) {
        let host = HostName(name.authority)
        #expect(host.text == name.text)
        #expect(host.isLocal == name.isLocal)
    }
}
