import TestSupport
import Testing

extension PaycastServer {
    /// `since` is the rest of a query.
    func page(of stream: String, since: String = "") throws -> EventStreamClient {
        let sign = paycast("sign", stream)
        #expect(try sign.waitForExit() == 0)
        let name = sign.output.split(separator: "\n").first ?? ""
        let page = try EventStreamClient(port: port, path: "/streams?name=\(name)\(since)")
        #expect(page.status == 200)
        return page
    }

    /// Asks `/ready` until it says so.
    func waitForReady(status: Int, text: String) throws {
        try wait(for: "/ready") { $0.hasPrefix("HTTP/1.1 \(status) ") && $0.contains(text) }
    }

    /// Asks `/metrics` until it has the line.
    func waitForMetric(_ line: String) throws {
        try wait(for: "/metrics") { $0.contains("\n\(line)\n") }
    }

    private func wait(for path: String, until isRight: (String) -> Bool) throws {
        let deadline = Deadline(.seconds(60))
        var answer = ""
        while !deadline.hasPassed {
            let socket = try connect()
            try socket.send("GET \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            answer = String(decoding: try socket.readToEnd(), as: UTF8.self)
            if isRight(answer) { return }
        }
        Issue.record("\(answer.suffix(2000))")
    }
}
