internal import Domain
internal import Encoding

/// Members that only Stripe's objects have. They are looked up where they are needed, because the objects' shapes
/// differ between versions of the API.
extension StoreObject {
    /// The range of ECMAScript's Date, in seconds.
    private static let secondsLimit = 8.64e12

    /// True when the member is present, even if `null`: `previous_attributes` names what was `null` before.
    func names(_ name: String) -> Bool { self[name] != nil }

    /// True for an empty list, and for an absent one.
    func isEmpty(_ name: String) -> Bool {
        guard case .array(let items)? = self[name] else { return true }
        return items.isEmpty
    }

    /// The id of an object, whether it is expanded or not.
    func id(_ name: String) -> String? {
        text(name) ?? object(name)?.text("id")
    }

    /// In a currency's smallest unit. Text is not an amount.
    func amount(_ name: String) -> Int64? { self[name]?.integer }

    /// Seconds since 1970. Neither text nor a number out of range is a date.
    func seconds(_ name: String) -> Instant? {
        guard case .number(let digits)? = self[name], let seconds = Double(String(decoding: digits, as: UTF8.self)),
            abs(seconds) <= StoreObject.secondsLimit
        else { return nil }
        return Instant(milliseconds: Int64(seconds.rounded(.down)) * 1000)
    }

    /// A list object's entries, or an array's.
    func list(_ name: String) -> [StoreObject] {
        guard let list = object(name), list["data"] != nil else { return objects(name) }
        return list.objects("data")
    }

    /// The order's token in the metadata.
    var token: OrderToken? {
        guard let metadata = object("metadata") else { return nil }
        return ["order", "paycast_order"].lazy.compactMap { metadata.text($0) }.compactMap { OrderToken($0) }.first
    }

    /// The product according to the metadata, for objects that do not name one themselves.
    var namedProduct: String? { object("metadata")?.text("product") }
}
