public import Foundation

/// Lets through what the app's own pages say in their main frame: a web view hands over the messages of every frame, and one of an
/// advertiser could restore for a stream of its own.
public struct PageGate: Sendable {
    /// What a page says that nobody takes is forgotten.
    private static let capacity = 50

    private let origins: Set<String>
    private var heard: [(message: [String], json: Data)] = []

    /// - Parameter origins: Of the app's pages, as browsers write them: `https://shop.example.com`, with a port if it is not the usual.
    public init(origins: Set<String>) {
        self.origins = origins
    }

    /// - Parameter message: What tells it from others, such as its web view, id and event.
    public mutating func hear(_ message: [String], json: Data, isMainFrame: Bool, origin: String) {
        if isMainFrame, origins.contains(origin) { heard = (heard + [(message, json)]).suffix(PageGate.capacity) }
    }

    /// What the page itself has said in the message, once. Nil for another frame's, and another site's.
    public mutating func take(_ message: [String]) -> Data? {
        heard.lastIndex { $0.message == message }.map { heard.remove(at: $0).json }
    }
}
