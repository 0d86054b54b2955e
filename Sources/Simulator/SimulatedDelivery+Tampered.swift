extension SimulatedDelivery {
    /// Changes one character after signing, in a part that the proof covers: in the Authorization header if there is
    /// one, otherwise in the body.
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

/// Changes only letters and digits, so that JSON and base64url stay valid. In a JWS, every such character belongs to
/// the signature or to what it covers.
private func changed(_ bytes: [UInt8]) -> [UInt8] {
    let isWord: (UInt8) -> Bool = { (48...57).contains($0) || (65...90).contains($0) || (97...122).contains($0) }
    guard let index = bytes.indices.dropFirst(bytes.count * 3 / 4).first(where: { isWord(bytes[$0]) }) else {
        return bytes
    }
    var bytes = bytes
    bytes[index] = bytes[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
    return bytes
}
