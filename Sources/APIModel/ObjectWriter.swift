import Encoding

/// Writes a JSON object by hand, for answers that are made so often that `JSONEncoder` would cost more than all the rest.
/// Their members come in the order of their names, so that the bytes are those of `JSON.encode`.
struct ObjectWriter {
    private(set) var bytes: [UInt8] = []
    private var isFirst = true

    init(capacity: Int) { bytes.reserveCapacity(capacity) }

    /// The whole object; `body` writes its members.
    mutating func object(_ body: (inout ObjectWriter) -> Void) {
        bytes.append(UInt8(ascii: "{"))
        isFirst = true
        body(&self)
        bytes.append(UInt8(ascii: "}"))
        isFirst = false
    }

    mutating func object(_ name: StaticString, _ body: (inout ObjectWriter) -> Void) {
        begin(name)
        object(body)
    }

    /// `name` is one that needs no escape.
    mutating func object(named name: String, _ body: (inout ObjectWriter) -> Void) {
        begin(name)
        object(body)
    }

    /// Their names need no escape. Leaves the member out if there are no texts.
    mutating func texts(_ name: StaticString, ifAny texts: [String: String]?) {
        guard let texts else { return }
        object(name) { writer in
            for (name, text) in texts.sorted(by: { $0.key < $1.key }) {
                writer.begin(name)
                JSONLiteral.append(text, to: &writer.bytes)
            }
        }
    }

    mutating func texts(_ name: StaticString, _ texts: [String]) {
        begin(name)
        bytes.append(UInt8(ascii: "["))
        for (index, text) in texts.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            JSONLiteral.append(text, to: &bytes)
        }
        bytes.append(UInt8(ascii: "]"))
    }

    mutating func objects<Item>(_ name: StaticString, of items: [Item], _ body: (Item, inout ObjectWriter) -> Void) {
        begin(name)
        bytes.append(UInt8(ascii: "["))
        for (index, item) in items.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            object { body(item, &$0) }
        }
        bytes.append(UInt8(ascii: "]"))
    }

    /// Leaves the member out if there is no text.
    mutating func text(_ name: StaticString, ifAny text: String?) {
        if let text { self.text(name, text) }
    }

    /// Writes null if there is no text.
    mutating func text(_ name: StaticString, _ text: String?) {
        begin(name)
        guard let text else { return write("null") }
        JSONLiteral.append(text, to: &bytes)
    }

    /// Writes null if there is no flag.
    mutating func flag(_ name: StaticString, _ flag: Bool?) {
        begin(name)
        switch flag {
        case nil: write("null")
        case true?: write("true")
        case false?: write("false")
        }
    }

    /// Leaves the member out if there is no number.
    mutating func number(_ name: StaticString, ifAny number: Int?) {
        guard let number else { return }
        begin(name)
        bytes += "\(number)".utf8
    }

    private mutating func begin(_ name: StaticString) {
        write(isFirst ? "\"" : ",\"")
        isFirst = false
        write(name)
        write("\":")
    }

    private mutating func begin(_ name: String) {
        bytes.append(contentsOf: isFirst ? "\"".utf8 : ",\"".utf8)
        isFirst = false
        bytes.append(contentsOf: name.utf8)
        bytes.append(contentsOf: "\":".utf8)
    }

    private mutating func write(_ text: StaticString) {
        bytes.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }
}
