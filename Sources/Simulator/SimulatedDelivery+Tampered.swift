extension SimulatedDelivery {
    /// With one character changed after signing, where the proof covers it: in the bearer or the fixed value, else in
    /// the body.
    public var tampered: SimulatedDelivery {
        var delivery = self
        if let index = headers.firstIndex(where: { $0.0.lowercased() == "authorization" }) {
            delivery.headers[index].1 = String(decoding: changed(Array(headers[index].1.utf8)), as: UTF8.self)
        } else {
            delivery.body = changed(body)
        }
        return delivery
    }
}

/// Letters and digits alone, so that JSON and base64url stay what they are: of a JWS that is the signature or what it
/// covers, wherever it is hit.
private func changed(_ bytes: [UInt8]) -> [UInt8] {
    let isWord: (UInt8) -> Bool = { (48...57).contains($0) || (65...90).contains($0) || (97...122).contains($0) }
    guard let index = bytes.indices.dropFirst(bytes.count * 3 / 4).first(where: { isWord(bytes[$0]) }) else {
        return bytes
    }
    var bytes = bytes
    bytes[index] = bytes[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
    return bytes
}
