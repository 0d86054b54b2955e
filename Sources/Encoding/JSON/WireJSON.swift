/// A document to be sent, of any shape: it is written as a literal, and its members keep their order.
public indirect enum WireJSON: Sendable, Equatable, ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    public struct Member: Sendable, Equatable {
        public var name: String
        public var value: WireJSON

        public init(name: String, value: WireJSON) {
            self.name = name
            self.value = value
        }
    }

    case null
    case flag(Bool)
    case number(Int64)
    case decimal(Double)
    case text(String)
    case list([WireJSON])
    case object([Member])

    public init(stringLiteral value: String) { self = .text(value) }
    public init(integerLiteral value: Int64) { self = .number(value) }
    public init(booleanLiteral value: Bool) { self = .flag(value) }
    public init(arrayLiteral elements: WireJSON...) { self = .list(elements) }
    /// A member that is nil is left out.
    public init(dictionaryLiteral elements: (String, WireJSON?)...) {
        self = .object(elements.compactMap { name, value in value.map { Member(name: name, value: $0) } })
    }

    /// The member of an object. A new member goes to the end.
    public subscript(_ name: String) -> WireJSON? {
        get {
            guard case .object(let members) = self else { return nil }
            return members.first { $0.name == name }?.value
        }
        set {
            guard case .object(var members) = self else { return }
            let index = members.firstIndex { $0.name == name }
            switch (index, newValue) {
            case (let index?, let value?): members[index].value = value
            case (let index?, nil): members.remove(at: index)
            case (nil, let value?): members.append(Member(name: name, value: value))
            case (nil, nil): break
            }
            self = .object(members)
        }
    }

    public var bytes: [UInt8] {
        var bytes: [UInt8] = []
        append(to: &bytes)
        return bytes
    }

    private func append(to bytes: inout [UInt8]) {
        switch self {
        case .null: bytes += "null".utf8
        case .flag(let flag): bytes += (flag ? "true" : "false").utf8
        case .number(let number): bytes += String(number).utf8
        case .decimal(let number): bytes += String(number).utf8
        case .text(let text): JSONLiteral.append(text, to: &bytes)
        case .list(let items): append(items, between: "[]", to: &bytes) { $0.append(to: &$1) }
        case .object(let members):
            append(members, between: "{}", to: &bytes) { member, bytes in
                JSONLiteral.append(member.name, to: &bytes)
                bytes.append(UInt8(ascii: ":"))
                member.value.append(to: &bytes)
            }
        }
    }

    private func append<Item>(
        _ items: [Item],
        between brackets: String,
        to bytes: inout [UInt8],
        write: (Item, inout [UInt8]) -> Void
    ) {
        bytes += brackets.utf8.prefix(1)
        for (index, item) in items.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            write(item, &bytes)
        }
        bytes += brackets.utf8.suffix(1)
    }
}
