package import Foundation

#if canImport(Network)
    internal import Network
#endif
#if canImport(UIKit)
    internal import UIKit
#elseif canImport(AppKit)
    internal import AppKit
#endif

/// What the system tells of the app. On a system that tells nothing, the app calls `resume` itself.
enum SystemEvent: Sendable {
    case cameToFront
    case leftFront
    case networkIsBack

    #if canImport(UIKit)
        @MainActor private static let names = [
            (UIApplication.willEnterForegroundNotification, cameToFront),
            (UIApplication.didEnterBackgroundNotification, leftFront),
        ]
    #elseif canImport(AppKit)
        @MainActor private static let names = [(NSApplication.didBecomeActiveNotification, cameToFront)]
    #endif

    static func all() -> AsyncStream<SystemEvent> {
        AsyncStream(bufferingPolicy: .bufferingNewest(10)) { continuation in
            #if canImport(UIKit) || canImport(AppKit)
                Task { @MainActor in
                    #if canImport(UIKit)
                        // The system may start an app behind the others.
                        if ActiveScene.application?.applicationState == .background { continuation.yield(.leftFront) }
                    #endif
                    for (name, event) in names {
                        _ = NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { _ in
                            continuation.yield(event)
                        }
                    }
                }
            #endif
            #if canImport(Network)
                let monitor = NWPathMonitor()
                monitor.pathUpdateHandler = { path in
                    if path.status == .satisfied { continuation.yield(.networkIsBack) }
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

extension Timekeeper {
    /// Rings once, unless its task is cancelled before.
    func alarm(at date: Date, _ ring: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        Task {
            await sleep(until: date)
            if !Task.isCancelled { await ring() }
        }
    }
}

struct SystemTime: Timekeeper {
    var now: Date { Date() }

    package func sleep(until date: Date) async {
        try? await Task.sleep(for: .seconds(max(date.timeIntervalSince(now), 0)))
    }
}
