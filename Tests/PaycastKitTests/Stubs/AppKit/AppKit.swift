// The part of AppKit that the shells use. https://developer.apple.com/documentation/appkit

public import Foundation

@MainActor
open class NSResponder {
    public init() {}
}

public final class NSApplication: NSResponder {
    public nonisolated static let didBecomeActiveNotification = NSNotification.Name("stub")
    public static var shared: NSApplication { fatalError("stub") }
    public var keyWindow: NSWindow? { fatalError("stub") }
    public var mainWindow: NSWindow? { fatalError("stub") }
    public var windows: [NSWindow] { fatalError("stub") }
}

open class NSWindow: NSResponder {
    public var isVisible: Bool { fatalError("stub") }
    public var contentView: NSView? { fatalError("stub") }
    public var contentViewController: NSViewController? { fatalError("stub") }
}

open class NSView: NSResponder {
    public func addSubview(_ view: NSView) { fatalError("stub") }
    public func removeFromSuperview() { fatalError("stub") }
}

open class NSViewController: NSResponder {
    public var view: NSView {
        get { fatalError("stub") }
        set { fatalError("stub") }
    }
}

/// Not bound to the main actor there either.
public final class NSWorkspace {
    public class var shared: NSWorkspace { fatalError("stub") }
    @discardableResult
    public func open(_ url: URL) -> Bool { fatalError("stub") }
}
