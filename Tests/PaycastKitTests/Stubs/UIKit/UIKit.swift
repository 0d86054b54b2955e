// The part of UIKit that the shells use. https://developer.apple.com/documentation/uikit

public import Foundation

@MainActor
open class UIResponder {
    public init() {}
}

open class UIView: UIResponder {}

@MainActor
open class UIScene: UIResponder {
    public enum ActivationState: Sendable { case unattached, foregroundActive, foregroundInactive, background }
    public var activationState: ActivationState { fatalError("stub") }
}

open class UIWindowScene: UIScene {}

extension UIScene: Hashable {
    public nonisolated static func == (left: UIScene, right: UIScene) -> Bool { left === right }
    public nonisolated func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

@MainActor
open class UIApplication: UIResponder {
    public struct LaunchOptionsKey: Hashable, Sendable {}

    public enum State: Int, Sendable { case active, inactive, background }

    public class var willEnterForegroundNotification: NSNotification.Name { fatalError("stub") }
    public class var didEnterBackgroundNotification: NSNotification.Name { fatalError("stub") }
    public var applicationState: State { fatalError("stub") }
    @available(*, unavailable, message: "not for extensions of apps")
    public static var shared: UIApplication { fatalError("stub") }
    /// `NSObject`'s.
    public class func value(forKey key: String) -> Any? { fatalError("stub") }
    public var connectedScenes: Set<UIScene> { fatalError("stub") }
}

@MainActor
public protocol UIApplicationDelegate {
    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions options: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool
}

extension UIApplicationDelegate {
    public static func main() { fatalError("stub") }
}
