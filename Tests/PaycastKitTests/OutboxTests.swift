import Foundation
import Testing

@testable import PaycastKit

@Suite("Outbox")
struct OutboxTests {
    private let folder = Folder()
    private var outbox: Outbox { Outbox(folder: folder.url) }

    private func delivery(_ id: UInt64, signing: Int = 0) -> Delivery {
        var delivery = Delivery(Fixture.transaction(id, signing: signing))
        delivery.adopt(Fixture.stream(of: "ann"))
        delivery.backoff.fail(at: Fixture.start, retryAfter: 60, random: 0.25)
        return delivery
    }

    @Test("Keeps deliveries, orders and entitlements over a restart")
    func keeps() throws {
        _ = try outbox.open()
        var refused = delivery(2)
        refused.condition = .refused(code: "bad_signature", appVersion: "7")
        let placed = PlacedOrder(order: Fixture.order(), product: "p", placedAt: Fixture.start, isPending: true)
        let known = StoredEntitlements(
            owner: "user:ann:paywall",
            entitlements: Entitlements(
                active: true,
                entitlements: [Entitlement(product: "p", state: "active", active: true, accessUntil: Fixture.start)]
            ),
            etag: "\"1\"",
            knownAt: Fixture.start
        )
        try outbox.keep(refused)
        try outbox.keep(delivery(1))
        try outbox.save([placed])
        try outbox.save(known)
        let content = try outbox.open()
        #expect(content.deliveries == [delivery(1), refused])
        #expect(content.orders == [placed] && content.entitlements == known && content.damaged.isEmpty)
    }

    @Test("Two signings of one transaction are two files; dropping twice is no error")
    func versions() throws {
        _ = try outbox.open()
        try outbox.keep(delivery(1))
        try outbox.keep(delivery(1, signing: 1))
        #expect(try outbox.open().deliveries.count == 2)
        try outbox.drop(delivery(1).version)
        try outbox.drop(delivery(1).version)
        #expect(try outbox.open().deliveries == [delivery(1, signing: 1)])
    }

    @Test("Killed at any byte of a write, it has the old state or the new one")
    func killedWhileWriting() throws {
        _ = try outbox.open()
        try outbox.keep(delivery(1))
        let name = try #require(folder.names.first)
        var newer = delivery(1)
        newer.condition = .loggedOut
        let bytes = try Envelope.seal(newer)
        for count in 0...bytes.count {
            // What a killed write leaves behind: its draft, up to some byte.
            let draft = folder.url.appendingPathComponent(name + AtomicFile.unfinished)
            try bytes.prefix(count).write(to: draft)
            let content = try outbox.open()
            #expect(content.deliveries == [delivery(1)] && content.damaged.isEmpty)
            #expect(folder.names == [name], "the draft is tidied up")
        }
        try outbox.keep(newer)
        #expect(try outbox.open().deliveries == [newer])
    }

    @Test("A file cut at any byte is noticed, reported once, put aside, and harms no other")
    func cut() throws {
        _ = try outbox.open()
        try outbox.keep(delivery(2))
        let whole = try Envelope.seal(delivery(1))
        let file = folder.url.appendingPathComponent("1-1800000000000.transaction")
        for count in 0..<whole.count {
            try whole.prefix(count).write(to: file)
            let content = try outbox.open()
            #expect(content.deliveries == [delivery(2)] && content.damaged == [file.lastPathComponent])
            let again = try outbox.open()
            #expect(again.deliveries == [delivery(2)] && again.damaged.isEmpty)
        }
        try whole.write(to: file)
        #expect(try outbox.open().deliveries == [delivery(1), delivery(2)])
    }

    @Test("One changed byte anywhere is noticed")
    func changed() throws {
        let whole = try Envelope.seal(delivery(1))
        for index in whole.indices {
            var bytes = whole
            bytes[index] ^= 0x20
            // In the checksum, a digit in capitals would still be the same number: it is compared as text.
            #expect((try? Envelope.open(bytes, as: Delivery.self)) == nil, "byte \(index)")
        }
    }

    @Test("A file of a newer app is neither read nor removed")
    func newer() throws {
        _ = try outbox.open()
        let text = String(decoding: try Envelope.seal(delivery(1)), as: UTF8.self)
        let file = folder.url.appendingPathComponent("1-0.transaction")
        try text.replacingOccurrences(of: "paycast-kit 1 ", with: "paycast-kit 2 ")
            .write(to: file, atomically: false, encoding: .utf8)
        let content = try outbox.open()
        #expect(content.deliveries.isEmpty && content.damaged.isEmpty && folder.names == ["1-0.transaction"])
    }

    @Test("A file without what version 1 did not write yet is read all the same")
    func tolerant() throws {
        let body =
            #"{"backoff":{"failures":0,"isOrdered":false},"condition":{"waiting":{}},"transaction":"#
            + #"{"id":1,"isFamilyShared":false,"isRevoked":false,"isUpgraded":false,"jws":"a.b.c","originalID":1,"#
            + #""product":"p","signedDate":1800000000000},"added_later":true}"#
        let delivery = try Envelope.decoder.decode(Delivery.self, from: Data(body.utf8))
        #expect(delivery.version == TransactionVersion(id: 1, signedAt: 1_800_000_000_000))
    }

    @Test("The files of the first version that wrote any are read as they were written")
    func firstVersion() throws {
        let body =
            #"{"backoff":{"due":1800000075000,"failedAt":1800000000000,"failures":1,"isOrdered":true},"condit"#
            + #"ion":{"refused":{"appVersion":"7","code":"bad_signature"}},"owner":"user:ann:paywall","stream":"#
            + #""InVzZXI6YW5uOnBheXdhbGwi--1","transaction":{"id":1,"isFamilyShared":false,"isRevoked":false,"i"#
            + #"sUpgraded":false,"jws":"a.b.c","originalID":1,"product":"pro.annual","signedDate":1800000000000"#
            + #","token":"00000000-0000-4000-8000-000000000001"}}"#
        let orders =
            #"[{"isPending":true,"order":{"stream":"InVzZXI6YW5uOnBheXdhbGwi--1","token":"00000000-0000-4000-"#
            + #"8000-000000000001"},"placedAt":1800000000000,"product":"pro.annual"}]"#
        _ = try outbox.open()
        let file = folder.url.appendingPathComponent("1-1800000000000.transaction")
        try Data("paycast-kit 1 429 d177f8f0b260e480\n\(body)".utf8).write(to: file)
        try Data("paycast-kit 1 164 a5e1609def8a02fc\n\(orders)".utf8).write(
            to: folder.url.appendingPathComponent("orders")
        )
        let content = try outbox.open()
        let delivery = try #require(content.deliveries.first)
        #expect(content.damaged.isEmpty && content.unreadable.isEmpty)
        #expect(delivery.owner == "user:ann:paywall" && delivery.stream == Fixture.stream(of: "ann"))
        #expect(delivery.condition == .refused(code: "bad_signature", appVersion: "7"))
        #expect(delivery.backoff.due == Fixture.start + 75 && delivery.transaction.token == Fixture.token(1))
        #expect(content.orders.map(\.order) == [Fixture.order()] && content.orders.map(\.isPending) == [true])
    }

    @Test("A disk that refuses is an error and no crash")
    func refuses() throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("kit-file-\(UUID().uuidString)")
        try Data().write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        #expect(throws: (any Error).self) { try Outbox(folder: file).open() }
        #expect(throws: (any Error).self) { try Outbox(folder: file).keep(delivery(1)) }
    }
}
