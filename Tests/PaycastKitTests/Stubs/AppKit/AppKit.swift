// The part of AppKit that the shells use. https://developer.apple.com/documentation/appkit/nsapplication

public import Foundation

@MainActor
public final class NSApplication {
    public nonisolated static let didBecomeActiveNotification = NSNotification.Name("stub")
}
