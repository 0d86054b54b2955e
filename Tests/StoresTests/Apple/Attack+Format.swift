import Crypto
import Domain
import Encoding

extension Attack {
    static let bodies = [
        Attack("empty body", code: "invalid_json") { $0.editBody = { _ in "" } },
        Attack("body is not JSON", code: "invalid_json") { $0.editBody = { "\($0)}" } },
        Attack("body is an array", code: "invalid_json") { $0.editBody = { "[\($0)]" } },
        Attack("signedPayload is a number", code: "invalid_json") { $0.editBody = { _ in #"{"signedPayload":1}"# } },
        Attack("signedPayload is null", code: "missing_signed_payload") {
            $0.editBody = { _ in #"{"signedPayload":null}"# }
        },
        Attack("no signedPayload", code: "missing_signed_payload") {
            $0.editBody = { _ in #"{"signedTransaction":"e30.e30.AA"}"# }
        },
        Attack("version 1 notification", code: "v1_notification") {
            $0.editBody = { _ in #"{"notification_type":"DID_RENEW","unified_receipt":{"status":0}}"# }
        },
        Attack("deeply nested body", code: "invalid_json") {
            $0.editBody = { _ in
                let depth = 60_000
                return #"{"signedPayload":"# + String(repeating: "[", count: depth)
                    + String(repeating: "]", count: depth) + "}"
            }
        },
    ]

    static let forms = [
        Attack("two parts", code: "invalid_jws") {
            $0.outer.editText = { $0.split(separator: ".")[..<2].joined(separator: ".") }
        },
        Attack("four parts", code: "invalid_jws") { $0.outer.editText = { "\($0).AAAA" } },
        Attack("empty payload", code: "invalid_jws") {
            $0.outer.editSigned = { "\($0.split(separator: ".")[0])." }
        },
        Attack("empty header", code: "invalid_jws") { $0.outer.editSigned = { ".\($0.split(separator: ".")[1])" } },
        Attack("trailing newline", code: "invalid_jws") { $0.outer.editText = { "\($0)\\n" } },
        Attack("leading space", code: "invalid_jws") { $0.outer.editText = { " \($0)" } },
        Attack("padded header", code: "invalid_jws") {
            $0.outer.header = .raw(" ".padded(untilPadding: $0.outer.header.text))
            $0.outer.editSigned = { text in
                let parts = text.split(separator: ".")
                return "\(parts[0])=.\(parts[1])"
            }
        },
        Attack("padded payload", code: "invalid_jws") {
            $0.outer.payload = .raw(" ".padded(untilPadding: $0.outer.payload.text))
            $0.transaction = nil
            $0.renewal = nil
            $0.outer.editSigned = { "\($0)=" }
        },
        Attack("padded signature", code: "invalid_jws") { $0.outer.editText = { "\($0)==" } },
        Attack("standard alphabet in the signature", code: "invalid_jws") {
            $0.outer.editText = { text in
                let parts = text.split(separator: ".")
                return "\(parts[0]).\(parts[1]).+/\(parts[2].dropFirst(2))"
            }
        },
        Attack("unused bits of the signature set", code: "invalid_jws") {
            $0.outer.editText = { $0.dropLast() + "\($0.hasSuffix("B") ? "C" : "B")" }
        },
        Attack("over 256 KiB", code: "invalid_jws") {
            $0.outer.payload["padding"] = .text(String(repeating: "x", count: 200_000))
        },
        Attack("JSON serialization instead of compact", code: "invalid_json") {
            $0.editBody = { _ in #"{"signedPayload":{"payload":"e30","signatures":[]}}"# }
        },
    ]

    static let headers = [
        Attack("header is not JSON", code: "invalid_jws") { $0.outer.header = .raw("{") },
        Attack("header is an array", code: "invalid_jws") { $0.outer.header = .array([$0.outer.header]) },
        Attack("huge header", code: "invalid_jws") {
            $0.outer.header["junk"] = .text(String(repeating: "x", count: 16_384))
        },
        Attack("deeply nested header", code: "invalid_jws") {
            $0.outer.header["junk"] = .raw(String(repeating: "[", count: 700) + String(repeating: "]", count: 700))
        },
        Attack("alg ES384", code: "unsupported_algorithm") { $0.outer.header["alg"] = "ES384" },
        Attack("alg in lower case", code: "unsupported_algorithm") { $0.outer.header["alg"] = "es256" },
        Attack("alg RS256", code: "unsupported_algorithm") { $0.outer.header["alg"] = "RS256" },
        Attack("no alg", code: "unsupported_algorithm") { $0.outer.header["alg"] = nil },
        Attack("alg null", code: "unsupported_algorithm") { $0.outer.header["alg"] = .raw("null") },
        Attack("alg is a list", code: "invalid_jws") { $0.outer.header["alg"] = ["ES256"] },
        Attack("alg none without a signature", code: "unsupported_algorithm") {
            $0.outer.header["alg"] = "none"
            $0.outer.editSignature = { _ in [] }
        },
        Attack("alg HS256 keyed with the leaf certificate", code: "unsupported_algorithm") { specimen in
            specimen.outer.header["alg"] = "HS256"
            let key = specimen.pki.leaf.certificate
            specimen.outer.editText = { text in
                let parts = text.split(separator: ".")
                let signed = "\(parts[0]).\(parts[1])"
                return "\(signed).\(Base64URL.encode(HMAC.authenticate(Array(signed.utf8), key: key)))"
            }
        },
        Attack("crit", code: "unsupported_header") { $0.outer.header["crit"] = ["exp"] },
        Attack("crit null", code: "unsupported_header") { $0.outer.header["crit"] = .raw("null") },
        Attack("b64 false", code: "unsupported_header") { $0.outer.header["b64"] = false },
        Attack("b64 true", code: "unsupported_header") { $0.outer.header["b64"] = true },
    ]
}

extension String {
    /// Adds white space after `json` until its Base64 would be padded by one character.
    fileprivate func padded(untilPadding json: String) -> String {
        var json = json
        while json.utf8.count % 3 != 2 { json += self }
        return json
    }
}
