internal import HTTP
internal import Pages

/// A page of the console. Each function runs on a thread of the console's own, and may wait.
protocol ConsolePage: Sendable {
    func show(_ visit: Visit) throws(ConsoleError) -> Response

    /// A form of this page was sent.
    func act(_ visit: Visit, form: Query) throws(ConsoleError) -> Response
}

extension ConsolePage {
    func act(_ visit: Visit, form: Query) throws(ConsoleError) -> Response {
        throw .methodNotAllowed
    }
}
