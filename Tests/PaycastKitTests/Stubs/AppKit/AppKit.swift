// The part of AppKit that the shells use. https://developer.apple.com/documentation/appkit

public import Foundation

@MainActor
open class NSResponder {
    public init() {}
}

open class NSApplication: NSResponder {
    public nonisolated class var didBecomeActiveNotification: NSNotification.Name { fatalError("stub") }
}

/// Not bound to the main actor there either.
open class NSWorkspace {
    public class var shared: NSWorkspace { fatalError("stub") }
    @discardableResult
    public func open(_ url: URL) -> Bool { fatalError("stub") }
}
