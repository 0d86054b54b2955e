// The part of WebKit that `PaywallComponent.swift` uses. https://developer.apple.com/documentation/webkit

public import Foundation
public import UIKit

@MainActor
open class WKWebView: UIView {
    public init(frame: CGRect, configuration: WKWebViewConfiguration) {}
}

@MainActor
open class WKWebViewConfiguration {
    public var userContentController: WKUserContentController { fatalError("stub") }
}

public enum WKUserScriptInjectionTime: Int, Sendable { case atDocumentStart, atDocumentEnd }

@MainActor
open class WKUserScript {
    public init(source: String, injectionTime: WKUserScriptInjectionTime, forMainFrameOnly: Bool) {}
}

@MainActor
open class WKUserContentController {
    public init() {}
    public func addUserScript(_ userScript: WKUserScript) { fatalError("stub") }
    public func add(_ scriptMessageHandler: any WKScriptMessageHandler, name: String) { fatalError("stub") }
}

@MainActor
public protocol WKScriptMessageHandler: AnyObject {
    func userContentController(_ controller: WKUserContentController, didReceive message: WKScriptMessage)
}

@MainActor
open class WKScriptMessage {
    public init() {}
    open var body: Any { fatalError("stub") }
    open weak var webView: WKWebView? { nil }
    open var frameInfo: WKFrameInfo { fatalError("stub") }
}

@MainActor
open class WKFrameInfo {
    public init() {}
    open var isMainFrame: Bool { fatalError("stub") }
    open var securityOrigin: WKSecurityOrigin { fatalError("stub") }
}

@MainActor
open class WKSecurityOrigin {
    public init() {}
    open var `protocol`: String { fatalError("stub") }
    open var host: String { fatalError("stub") }
    open var port: Int { fatalError("stub") }
}
