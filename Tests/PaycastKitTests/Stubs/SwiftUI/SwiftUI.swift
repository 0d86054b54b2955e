// The part of SwiftUI that the documentation uses. https://developer.apple.com/documentation/swiftui

@_exported import Foundation

#if canImport(FoundationNetworking)
    // Part of Foundation on Apple's systems.
    @_exported import FoundationNetworking
#endif

@MainActor @preconcurrency
public protocol View {
    associatedtype Body: View
    @ViewBuilder var body: Body { get }
}

public struct Stub: View {
    public var body: Stub { Stub() }
}

@resultBuilder
public enum ViewBuilder {
    public static func buildBlock(_ views: any View...) -> Stub { fatalError("stub") }
    public static func buildExpression(_ view: some View) -> any View { view }
    public static func buildOptional(_ view: (any View)?) -> any View { fatalError("stub") }
    public static func buildEither(first view: any View) -> any View { view }
    public static func buildEither(second view: any View) -> any View { view }
}

extension View {
    public func task(@_inheritActorContext _ action: @escaping @Sendable () async -> Void) -> some View { Stub() }
    public func onAppear(perform action: (() -> Void)? = nil) -> some View { Stub() }
    public func onDisappear(perform action: (() -> Void)? = nil) -> some View { Stub() }
    public func disabled(_ isDisabled: Bool) -> some View { Stub() }
}

public struct Text: View {
    public init(_ text: some StringProtocol) {}
    public var body: Stub { Stub() }
}

public struct Button: View {
    public init(_ title: some StringProtocol, action: @escaping @MainActor () -> Void) {}
    public var body: Stub { Stub() }
}

public struct VStack: View {
    public init(@ViewBuilder content: () -> some View) {}
    public var body: Stub { Stub() }
}

public struct ForEach: View {
    public init<Data: RandomAccessCollection, ID: Hashable>(
        _ data: Data,
        id: KeyPath<Data.Element, ID>,
        @ViewBuilder content: @escaping (Data.Element) -> some View
    ) {}
    public var body: Stub { Stub() }
}

@propertyWrapper
public struct State<Value> {
    public init(wrappedValue: Value) {}
    public var wrappedValue: Value {
        get { fatalError("stub") }
        nonmutating set { fatalError("stub") }
    }
}

@MainActor @preconcurrency
public protocol Scene {}

public struct WindowGroup: Scene {
    public nonisolated init(@ViewBuilder content: () -> some View) {}
}

@MainActor @preconcurrency
public protocol App {
    associatedtype Body: Scene
    init()
    var body: Body { get }
}

extension App {
    public static func main() { fatalError("stub") }
}
