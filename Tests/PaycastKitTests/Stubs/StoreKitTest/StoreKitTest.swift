// The part of StoreKitTest that the tests of `Mac` use. https://developer.apple.com/documentation/storekittest/sktestsession

public import Foundation

public final class SKTestSession {
    public init(contentsOf url: URL) throws { fatalError("stub") }
    public var disableDialogs: Bool {
        get { fatalError("stub") }
        set { fatalError("stub") }
    }
    public var askToBuyEnabled: Bool {
        get { fatalError("stub") }
        set { fatalError("stub") }
    }
    public func resetToDefaultState() { fatalError("stub") }
    public func clearTransactions() { fatalError("stub") }
    public func allTransactions() -> [SKTestTransaction] { fatalError("stub") }
    public func approveAskToBuyTransaction(identifier: UInt) throws { fatalError("stub") }
    public func refundTransaction(identifier: UInt) throws { fatalError("stub") }
}

public final class SKTestTransaction {
    public var identifier: UInt { fatalError("stub") }
    public var productIdentifier: String { fatalError("stub") }
}
