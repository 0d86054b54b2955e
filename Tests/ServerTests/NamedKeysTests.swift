import API
import Pages
import Support
import Testing

@testable import Server

/// `PAYCAST_KEYS`: each key with a name and its rights.
@Suite struct NamedKeysTests {
    private static let key = "0123456789abcdef"

    struct Good: Sendable, CustomTestStringConvertible {
        var item: String
        var name: String
        var rights: Set<Right>
        var secret = key
        var testDescription: String { item }
    }

    @Test(arguments: [
        Good(item: "shop:orders:\(key)", name: "shop", rights: [.orders]),
        Good(item: " support : read+act : \(key) ", name: "support", rights: [.read, .act]),
        Good(item: "admin:all:\(key)", name: "admin", rights: Set(Right.allCases)),
        Good(
            item: "Prometheus-1.eu_west:operate:\(key):2",
            name: "Prometheus-1.eu_west",
            rights: [.operate],
            secret: "\(key):2"
        ),
    ])
    func isRead(_ good: Good) throws {
        let keys = try Configuration(environment: ["PAYCAST_KEYS": good.item]).namedKeys
        #expect(keys == [AccessKey(name: good.name, rights: good.rights, secret: Secret(good.secret))])
    }

    /// On the console’s page of nodes.
    @Test func operatorsReadWhoMayWhat() throws {
        let facts = try Configuration(environment: ["PAYCAST_KEYS": "support:act+read:\(Self.key)"]).facts(node: "n1")
        #expect(facts.first { $0.name == "Keys with a name" }?.value == "support: read, act")
    }

    @Test func nameMayStandTwice() throws {
        let keys = try Configuration(environment: [
            "PAYCAST_KEYS": "shop:orders:\(Self.key),shop:orders+read:\(Self.key)-2"
        ]).namedKeys
        #expect(keys.map(\.name) == ["shop", "shop"])
    }

    struct Bad: Sendable, CustomTestStringConvertible {
        var value: String
        var says: String
        var testDescription: String { value }
    }

    @Test(arguments: [
        Bad(value: key, says: "is not name:rights:key"),
        Bad(value: "shop:\(key)", says: "is not name:rights:key"),
        Bad(value: "shop:read:\(key),\(key)", says: "item 2 of the list is not name:rights:key"),
        Bad(value: "shop:\(key):read", says: "names a right that does not exist"),
        Bad(value: "shop:read+write:\(key)", says: "are publish, orders, read, personal, act, erase, operate, all"),
        Bad(value: "shop::\(key)", says: "names a right that does not exist"),
        Bad(value: "shop:read+:\(key)", says: "names a right that does not exist"),
        Bad(value: "shop:Read:\(key)", says: "names a right that does not exist"),
        Bad(value: ":read:\(key)", says: "has a name that is not"),
        Bad(value: "api:read:\(key)", says: "is api or cli"),
        Bad(value: "the shop:read:\(key)", says: "has a name that is not"),
        Bad(value: "shop:read:short", says: "has fewer than 16 characters"),
        Bad(value: "shop:read:", says: "has fewer than 16 characters"),
        Bad(value: "a:read:\(key),b:act:\(key)", says: "item 2 of the list repeats a key"),
        Bad(value: "a:read:the-key-of-the-api", says: "repeats a key"),
        Bad(value: " , ", says: "is set, but names nothing"),
    ])
    func stopsTheStart(_ bad: Bad) throws {
        let environment = ["PAYCAST_API_KEY": "the-key-of-the-api", "PAYCAST_KEYS": bad.value]
        let error = #expect(throws: ConfigurationError.self) { try Configuration(environment: environment) }
        let text = "\(try #require(error))"
        #expect(text.contains("PAYCAST_KEYS: ") && text.contains(bad.says))
        #expect(!text.contains(Self.key) && !text.contains("write"), "a problem shows a part of an item")
    }
}
