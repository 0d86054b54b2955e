internal import Domain
internal import Encoding
internal import StoreInterface

/// What only Stripe's objects have. Members are looked up where they are needed, because their shapes differ with the
/// API's version.
extension StoreObject {
    /// What ECMAScript's Date can hold, in seconds.
    private static let secondsLimit = 8.64e12

    /// True when the member is there, though it may be `null`: what an object said before names it all the same.
    func names(_ name: String) -> Bool { self[name] != nil }

    /// True for a list without entries, and for none at all.
    func isEmpty(_ name: String) -> Bool {
        guard case .array(let items)? = self[name] else { return true }
        return items.isEmpty
    }

    /// An object's id, whether the object was expanded in its place or not.
    func id(_ name: String) -> String? {
        text(name) ?? object(name)?.text("id")
    }

    /// In a currency's smallest unit. Text is no amount.
    func amount(_ name: String) -> Int64? { self[name]?.integer }

    /// Seconds since 1970. Text is no date, nor is a number beyond all calendars.
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

    /// What the metadata say is sold, where Stripe itself does not.
    var namedProduct: String? { object("metadata")?.text("product") }
}
