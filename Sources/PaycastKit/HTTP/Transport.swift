internal import Foundation

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// One request to the server, without its address: a POST if it has a body.
struct ServerRequest: Equatable, Sendable {
    /// Below the server's URL, such as `transactions/apple`.
    var path: String
    var query: [String: String] = [:]
    var headers: [String: String] = [:]
    var body: Data?
}

struct ServerResponse: Equatable, Sendable {
    var status: Int
    /// Names in lower case.
    var headers: [String: String]
    var body: Data

    init(status: Int, headers: [String: String] = [:], body: Data = Data()) {
        self.status = status
        self.headers = Dictionary(headers.map { ($0.lowercased(), $1) }) { first, _ in first }
        self.body = body
    }
}

extension ServerResponse {
    private struct Failure: Decodable {
        var error: String
    }

    /// Nil for what is not in the server's own words.
    func decoded<Body: Decodable>(as type: Body.Type) -> Body? { try? JSONDecoder.ofServer.decode(type, from: body) }

    /// In seconds, as Paycast writes it (https://www.rfc-editor.org/rfc/rfc9110#name-retry-after). A proxy's date counts for nothing.
    var retryAfter: TimeInterval? {
        headers["retry-after"].flatMap { TimeInterval($0) }.flatMap { $0.isFinite ? max($0, 0) : nil }
    }

    /// Paycast's word for what is wrong, as every body of an error has it.
    var errorCode: String? { decoded(as: Failure.self)?.error }

    /// Whether Paycast, or a proxy before it in trouble, may have said so.
    var isExpected: Bool {
        switch status {
        case 408, 425, 429, 500...: true
        case 404, 405: false
        case 400..<500: errorCode != nil
        default: false
        }
    }
}

protocol Transport: Sendable {
    /// Sends one request and returns whatever was answered. Throws only if there was no answer.
    func send(_ request: ServerRequest) async throws -> ServerResponse
    /// What comes over a connection that stays open, until it ends. Whoever stops reading ends it.
    func events(_ request: ServerRequest) -> AsyncStream<ServerSentEvent>
}

/// The transport of an app.
final class URLSessionTransport: Transport {
    private let server: URL
    private let session: URLSession

    /// - Parameter timeout: Seconds without a byte from the server, after which a request has failed.
    init(server: URL, timeout: TimeInterval) {
        self.server = server
        let configuration = URLSessionTransport.configuration(timeout: timeout)
        configuration.timeoutIntervalForResource = 2 * timeout
        session = URLSession(configuration: configuration, delegate: Redirects(), delegateQueue: nil)
    }

    /// Nothing of a purchase belongs into cookies or caches.
    private static func configuration(timeout: TimeInterval) -> URLSessionConfiguration {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = timeout
        configuration.httpShouldSetCookies = false
        configuration.urlCache = nil
        return configuration
    }

    func events(_ request: ServerRequest) -> AsyncStream<ServerSentEvent> {
        AsyncStream { continuation in
            guard let request = try? urlRequest(request) else { return continuation.finish() }
            let events = EventConnection(continuation)
            // The server says something every 15 seconds.
            let configuration = URLSessionTransport.configuration(timeout: 45)
            let session = URLSession(configuration: configuration, delegate: events, delegateQueue: nil)
            let task = session.dataTask(with: request)
            continuation.onTermination = { _ in task.cancel() }
            task.resume()
            session.finishTasksAndInvalidate()
        }
    }

    deinit {
        session.finishTasksAndInvalidate()
    }

    func send(_ request: ServerRequest) async throws -> ServerResponse {
        let (body, response) = try await session.data(for: urlRequest(request))
        guard let response = response as? HTTPURLResponse else { throw URLError(.badServerResponse) }
        let headers = response.allHeaderFields.reduce(into: [:]) {
            $0[String(describing: $1.key)] = String(describing: $1.value)
        }
        return ServerResponse(status: response.statusCode, headers: headers, body: body)
    }

    private func urlRequest(_ request: ServerRequest) throws -> URLRequest {
        let address = server.appendingPathComponent(request.path)
        guard var components = URLComponents(url: address, resolvingAgainstBaseURL: false) else {
            throw URLError(.badURL)
        }
        if !request.query.isEmpty {
            components.queryItems = request.query.map { URLQueryItem(name: $0.key, value: $0.value) }
            // It leaves a plus as it is, which servers read as a space; Base64 is full of them.
            components.percentEncodedQuery = components.percentEncodedQuery?.replacingOccurrences(of: "+", with: "%2B")
        }
        guard let url = components.url else { throw URLError(.badURL) }
        var result = URLRequest(url: url)
        result.httpMethod = request.body == nil ? "GET" : "POST"
        result.httpBody = request.body
        for (name, value) in request.headers { result.setValue(value, forHTTPHeaderField: name) }
        return result
    }
}

/// Follows no redirection: a captive portal's page is no answer of the server, and a redirected POST would become a GET.
private final class Redirects: NSObject, URLSessionTaskDelegate {
    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }
}

/// The session calls it from one queue, one call after the other: that guards the parser.
private final class EventConnection: NSObject, URLSessionDataDelegate, @unchecked Sendable {
    private let events: AsyncStream<ServerSentEvent>.Continuation
    private var parser = ServerSentEventParser()

    init(_ events: AsyncStream<ServerSentEvent>.Continuation) {
        self.events = events
    }

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        let isStream = (response as? HTTPURLResponse)?.statusCode == 200 && response.mimeType == "text/event-stream"
        completionHandler(isStream ? .allow : .cancel)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        for event in parser.take(data) { events.yield(event) }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        events.finish()
    }
}
