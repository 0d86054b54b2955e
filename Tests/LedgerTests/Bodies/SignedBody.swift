import Encoding

/// Bodies in the shape of Apple's, of documents that nobody has signed.
enum SignedBody {
    /// As long as Apple's, with a number in it as each certificate has one.
    static func header(_ number: Int = 1) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        let certificate = Base64.encode((0..<2400).map { _ in UInt8.random(in: 0...255, using: &generator) })
        return text(of: #"{"alg":"ES256","x5c":["\#(number)","\#(certificate)"]}"#)
    }

    static func document(_ payload: String, header: [UInt8]) -> String {
        let signature = (0..<64).map { _ in UInt8.random(in: 0...255) }
        return [header, text(of: payload), Array(Base64URL.encode(signature).utf8)]
            .map { String(decoding: $0, as: UTF8.self) }.joined(separator: ".")
    }

    /// A notification with a transaction and its renewal inside.
    static func notification(outer: [UInt8], inner: [UInt8]) -> [UInt8] {
        let transaction = document(#"{"transactionId":"2000","productId":"pro","price":9990}"#, header: inner)
        let renewal = document(#"{"originalTransactionId":"2000","autoRenewStatus":1}"#, header: inner)
        let data = #"{"signedTransactionInfo":"\#(transaction)","signedRenewalInfo":"\#(renewal)","status":1}"#
        let payload = #"{"notificationType":"DID_RENEW","data":\#(data),"version":"2.0"}"#
        return Array(#"{"signedPayload":"\#(document(payload, header: outer))"}"#.utf8)
    }

    /// One in the other, `depth` times.
    static func nested(_ depth: Int, header: [UInt8]) -> [UInt8] {
        let text = (0..<depth).reduce("innermost") { payload, _ in document(#"{"p":"\#(payload)"}"#, header: header) }
        return Array(text.utf8)
    }

    private static func text(of json: String) -> [UInt8] { Array(Base64URL.encode(Array(json.utf8)).utf8) }
}
