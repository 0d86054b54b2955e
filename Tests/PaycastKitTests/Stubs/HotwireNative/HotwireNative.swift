// The part of hotwire-native-ios that `PaywallComponent.swift` uses, after its source at 1.2.2:
// https://github.com/hotwired/hotwire-native-ios/tree/main/Source/Bridge
// What Stubs/component runs does something: a component keeps what it replies, and anybody makes a message.

public import WebKit

@MainActor
public protocol BridgingDelegate: AnyObject {
    var webView: WKWebView? { get }
}

@MainActor
open class BridgeComponent {
    open nonisolated class var name: String { fatalError("stub") }
    public weak var delegate: (any BridgingDelegate)?
    public private(set) var replies: [Message] = []
    public init() {}
    open func onReceive(message: Message) {}
    @discardableResult
    public func reply(with message: Message) async throws -> Bool {
        replies.append(message)
        return true
    }
}

public struct HotwireConfig {
    public typealias WebViewBlock = (_ configuration: WKWebViewConfiguration) -> WKWebView
    public var makeCustomWebView: WebViewBlock = { _ in fatalError("stub") }
}

public enum Hotwire {
    nonisolated(unsafe) public static var config = HotwireConfig()
    @MainActor
    public static func registerBridgeComponents(_ components: [BridgeComponent.Type]) { fatalError("stub") }
}

/// Not `Sendable` there either.
public struct Message: Equatable {
    public let id: String
    public let component: String
    public let event: String
    public let jsonData: String

    public init(id: String, component: String, event: String, jsonData: String) {
        (self.id, self.component, self.event, self.jsonData) = (id, component, event, jsonData)
    }

    public func replacing(event updatedEvent: String? = nil, jsonData updatedData: String? = nil) -> Message {
        Message(id: id, component: component, event: updatedEvent ?? event, jsonData: updatedData ?? jsonData)
    }
}
