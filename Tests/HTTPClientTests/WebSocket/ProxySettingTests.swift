import Testing

@testable import HTTPClient

/// The rules of curl(1), “Environment”.
@Suite struct ProxySettingTests {
    struct Case: Sendable {
        var environment: [String: String]
        var url = "http://shop.test/"
        var proxy: String?
    }

    @Test(arguments: [
        Case(environment: [:]), Case(environment: ["http_proxy": ""]),
        Case(environment: ["http_proxy": "proxy.test"], proxy: "proxy.test:1080"),
        Case(environment: ["http_proxy": "http://proxy.test:3128/"], proxy: "proxy.test:3128"),
        Case(environment: ["http_proxy": "http://[::1]:3128"], proxy: "[::1]:3128"),
        Case(environment: ["http_proxy": "http://[::1]"], proxy: "[::1]:1080"),
        Case(environment: ["http_proxy": "http://a:b%20c@proxy.test:1"], proxy: "a:b c@proxy.test:1"),
        Case(environment: ["HTTP_PROXY": "proxy.test"]),
        Case(environment: ["https_proxy": "proxy.test"]),
        Case(environment: ["HTTPS_PROXY": "proxy.test:1"], url: "https://shop.test/", proxy: "proxy.test:1"),
        Case(environment: ["http_proxy": "proxy.test"], url: "https://shop.test/"),
        Case(environment: ["ALL_PROXY": "proxy.test:1"], url: "https://shop.test/", proxy: "proxy.test:1"),
        Case(environment: ["http_proxy": "proxy.test"], url: "http://127.0.0.1:8080/"),
        Case(environment: ["http_proxy": "proxy.test", "no_proxy": "*"]),
        Case(environment: ["http_proxy": "proxy.test", "NO_PROXY": "x.test, .shop.test"]),
        Case(environment: ["http_proxy": "proxy.test", "no_proxy": "test"]),
        Case(environment: ["http_proxy": "proxy.test:1", "no_proxy": "op.test"], proxy: "proxy.test:1"),
    ]) func isThatOfCurl(_ given: Case) throws {
        #expect(try ProxySetting.address(for: RequestURL(given.url), in: given.environment) == given.proxy)
    }

    /// libwebsockets would leave out the proxy, and connect to the server itself.
    @Test(arguments: [
        "socks5://proxy.test", "https://proxy.test", "proxy.test:port", "proxy.test:0", "proxy.test:99999",
        "proxy.test:",
        "http://:3128", "[::1]3128", "[::1", "me:s%4", "me:" + String(repeating: "s", count: 88) + "@proxy.test:1",
        String(repeating: "p", count: 101) + ":1",
    ]) func whatItCannotTakeIsRefused(_ proxy: String) throws {
        let url = try RequestURL("http://shop.test/")
        #expect(throws: ProxyFault.self) { try ProxySetting.address(for: url, in: ["http_proxy": proxy]) }
    }
}
