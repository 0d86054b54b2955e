package import Foundation

#if canImport(Network)
    internal import Network
#endif
#if canImport(UIKit)
    internal import UIKit
#elseif canImport(AppKit)
    internal import AppKit
#endif

/// Moments at which it is worth trying again: the app comes to the foreground, or the network comes back. On a system
/// that tells of neither, the app calls `resume` itself.
enum SystemEvents {
    #if canImport(UIKit)
        @MainActor private static let foreground = UIApplication.willEnterForegroundNotification
    #elseif canImport(AppKit)
        @MainActor private static let foreground = NSApplication.didBecomeActiveNotification
    #endif

    static func moments() -> AsyncStream<Void> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            #if canImport(UIKit) || canImport(AppKit)
                Task { @MainActor in
                    _ = NotificationCenter.default.addObserver(forName: foreground, object: nil, queue: nil) { _ in
                        continuation.yield()
                    }
                }
            #endif
            #if canImport(Network)
                let monitor = NWPathMonitor()
                monitor.pathUpdateHandler = { path in
                    if path.status == .satisfied { continuation.yield() }
                }
                monitor.start(queue: DispatchQueue(label: "paycast.network"))
                continuation.onTermination = { _ in monitor.cancel() }
            #endif
        }
    }
}

/// The clock, as the engine needs it. Tests turn its hands themselves.
package protocol Timekeeper: Sendable {
    var now: Date { get }
    /// Returns early when its task is cancelled.
    func sleep(until date: Date) async
}

struct SystemTime: Timekeeper {
    var now: Date { Date() }

    package func sleep(until date: Date) async {
        try? await Task.sleep(for: .seconds(max(date.timeIntervalSince(now), 0)))
    }
}
