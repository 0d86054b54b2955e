import Foundation

@testable import PaycastKit

/// Values that read well in a test.
enum Fixture {
    static let start = Date(timeIntervalSince1970: 1_800_000_000)

    static func stream(of user: String, signing: Int = 1) -> SignedStream {
        let name = Data("\"user:\(user):paywall\"".utf8).base64EncodedString()
        return SignedStream(rawValue: "\(name)--\(signing)")
    }

    static func order(of user: String = "ann", number: Int = 1) -> Order {
        Order(token: token(number), stream: stream(of: user))
    }

    static func token(_ number: Int) -> UUID {
        UUID(uuid: (0, 0, 0, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, UInt8(number / 256), UInt8(number % 256)))
    }

    static func transaction(
        _ id: UInt64 = 1,
        product: String = "pro.annual",
        token: UUID? = Fixture.token(1),
        signing: Int = 0
    ) -> SignedTransaction {
        SignedTransaction(
            id: id,
            product: product,
            jws: "header.\(id)-\(signing).signature",
            signedDate: start.addingTimeInterval(TimeInterval(signing)),
            token: token
        )
    }

    /// A year, after a free week.
    static let subscription = StoreProduct(
        id: "pro.trial",
        name: "Pro",
        displayPrice: "$79.99",
        price: Decimal(7_999) / 100,
        currency: "USD",
        period: .init(1, .year),
        introductoryOffer: .init(
            payment: .freeTrial,
            displayPrice: "$0.00",
            price: 0,
            period: .init(7, .day)
        )
    )

    static let commit = Commit(outcome: "applied", event: "client:1", claim: "yours")
    static let grant = Grant(product: "pro.annual", outcome: "applied")
}

/// https://prng.di.unimi.it/splitmix64.c
struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }
}

/// A folder that is gone when the test is over.
final class Folder: Sendable {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("kit-\(UUID().uuidString)")

    var names: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []).sorted()
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }
}

/// Drives a machine by hand. The clock stands until a test moves it.
struct Driver {
    var machine = PurchaseMachine(canRenew: false)
    var now = Fixture.start
    var chance = 0.0

    mutating func send(_ event: PurchaseEvent, after seconds: TimeInterval = 0) -> [PurchaseAction] {
        now += seconds
        return machine.handle(event, at: Moment(now: now, chance: chance))
    }

    /// The process dies, and another one starts, which finds what was written.
    mutating func restart() -> [PurchaseAction] {
        let book = machine.book
        machine = PurchaseMachine(canRenew: machine.renewal.isPossible)
        return send(.launched(book))
    }

    /// Starts with an order that an earlier process has placed.
    static func placed(_ order: Order = Fixture.order()) -> Driver {
        var driver = Driver()
        var book = Book()
        book.place(order, product: "pro.annual", at: driver.now)
        _ = driver.send(.launched(book))
        return driver
    }

    func memo(_ id: UInt64 = 1) -> Memo? { machine.deliveries[id]?.memo }

    /// With what it is posted, or would be.
    func stream(_ id: UInt64 = 1) -> SignedStream? {
        machine.deliveries[id].flatMap { $0.post?.stream ?? machine.stream(for: $0) }
    }

    /// What a page is told that names the user.
    func open(of user: String?) -> [OpenPurchase] {
        user.flatMap { machine.openPurchases(at: now)[Fixture.stream(of: $0).owner] } ?? []
    }

    /// Taps, pays, and leaves the transaction with the post under way.
    mutating func buy(_ transaction: SignedTransaction = Fixture.transaction(), order: Order = Fixture.order()) {
        let product = transaction.product
        _ = send(.tapped(product: product, order: order, ticket: Ticket(number: Int(transaction.id))))
        _ = send(.storeAnswered(product: product, .bought(transaction)))
    }
}

extension [PurchaseAction] {
    var posts: [TransactionVersion] {
        compactMap { if case .post(let post) = $0 { post.version } else { nil } }
    }
    /// What each post says of the tap.
    var asks: [Bool?] {
        compactMap { if case .post(let post) = $0 { .some(post.asked) } else { nil } }
    }
    var finishes: [UInt64] {
        compactMap { if case .finish(let id) = $0 { id } else { nil } }
    }
    var replies: [Result<PurchaseOutcome, PurchaseError>] {
        compactMap { if case .reply(_, let result) = $0 { result } else { nil } }
    }
    /// What was written, if anything was.
    var book: Book? {
        compactMap { if case .save(let book) = $0 { book } else { nil } }.last
    }
    var problems: [Problem] {
        compactMap { if case .report(let problem) = $0 { problem } else { nil } }
    }
}
