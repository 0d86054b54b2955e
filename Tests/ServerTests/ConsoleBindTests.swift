import Server
import Support
import Testing

@Suite struct ConsoleBindTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var text: String
        var address: String?
        var port = 0

        var testDescription: String { text }
    }

    @Test(arguments: [
        Case(text: "127.0.0.1:8081", address: "127.0.0.1", port: 8081),
        Case(text: "localhost:8081", address: "127.0.0.1", port: 8081),
        Case(text: "[::1]:8081", address: "::1", port: 8081),
        Case(text: "0.0.0.0:0", address: "0.0.0.0", port: 0),
        Case(text: "8081"), Case(text: ":8081"), Case(text: "127.0.0.1"), Case(text: "127.0.0.1:"),
        Case(text: "127.0.0.1:65536"), Case(text: "127.0.0.1:+1"), Case(text: "::1:8081"), Case(text: "pay.example:80"),
    ]) func readsAnAddressAndAPort(_ given: Case) throws {
        let bind = ConsoleBind(given.text)
        #expect(bind?.address == given.address)
        #expect(bind?.port == given.address.map { _ in given.port })
        let environment = ["PAYCAST_CONSOLE_BIND": given.text]
        guard given.address == nil else {
            #expect(try Configuration(environment: environment).consoleBind == bind)
            return
        }
        let error = #expect(throws: ConfigurationError.self) { try Configuration(environment: environment) }
        #expect(error?.problems.map(\.name) == ["PAYCAST_CONSOLE_BIND"])
    }

    struct Address: Sendable, CustomTestStringConvertible {
        var text: String
        var url: String?
        var isDevelopment = false

        var testDescription: String { text }
    }

    @Test(arguments: [
        Address(text: "https://console.example.com", url: "https://console.example.com"),
        Address(text: "https://Console.example.com:443/", url: "https://console.example.com"),
        Address(text: "https://10.0.0.5:8443", url: "https://10.0.0.5:8443"),
        Address(text: "http://localhost:8081", url: "http://localhost:8081", isDevelopment: true),
        Address(text: "http://console.example.com"), Address(text: "console.example.com"), Address(text: "https://"),
        Address(text: "https://example.com/admin"), Address(text: "https://me@example.com"),
        Address(text: "https://example.com?x"), Address(text: "ftp://example.com", isDevelopment: true),
    ]) func readsWhatBrowsersCallIt(_ given: Address) throws {
        let read = {
            try Configuration(isDevelopment: given.isDevelopment, environment: ["PAYCAST_CONSOLE_URL": given.text])
        }
        guard given.url == nil else {
            #expect(try read().consoleURL == given.url)
            return
        }
        let error = #expect(throws: ConfigurationError.self) { try read() }
        #expect(error?.problems.map(\.name) == ["PAYCAST_CONSOLE_URL"])
    }
}
