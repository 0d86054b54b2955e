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
}
