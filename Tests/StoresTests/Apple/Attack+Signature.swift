import Crypto
import Domain
import Encoding

extension Attack {
    static let signatures = [
        Attack("unrelated key", code: "bad_signature") { $0.outer.key = try .generate(.p256) },
        Attack("key of a leaf beside this one", code: "bad_signature") {
            $0.outer.key = try $0.pki.reissued().leaf.key
        },
        Attack("intermediate's key", code: "bad_signature") { $0.outer.key = $0.pki.intermediate.key },
        Attack("DER signature", code: "bad_signature") { specimen in
            let key = specimen.outer.key
            specimen.outer.editText = { text in
                let signed = text.split(separator: ".")[..<2].joined(separator: ".")
                let signature = (try? key.derSignature(for: Array(signed.utf8))) ?? []
                return "\(signed).\(Base64URL.encode(signature))"
            }
        },
        Attack("no signature", code: "bad_signature") { $0.outer.editSignature = { _ in [] } },
        Attack("63 bytes", code: "bad_signature") { $0.outer.editSignature = { Array($0.dropLast()) } },
        Attack("65 bytes", code: "bad_signature") { $0.outer.editSignature = { [0] + $0 } },
        Attack("zeros", code: "bad_signature") { $0.outer.editSignature = { $0.map { _ in 0 } } },
        Attack("ones", code: "bad_signature") { $0.outer.editSignature = { $0.map { _ in 255 } } },
        Attack("halves swapped", code: "bad_signature") { $0.outer.editSignature = { Array($0[32...] + $0[..<32]) } },
        Attack("first half zero", code: "bad_signature") {
            $0.outer.editSignature = { [UInt8](repeating: 0, count: 32) + $0[32...] }
        },
        Attack("flipped bit in the signature", code: "bad_signature") {
            $0.outer.editSignature = { signature in
                var signature = signature
                signature[17] ^= 4
                return signature
            }
        },
        Attack("signature of another document", code: "bad_signature") { specimen in
            let other = try specimen.renewal?.text().split(separator: ".").last ?? ""
            specimen.outer.editText = { text in
                text.split(separator: ".")[..<2].joined(separator: ".") + ".\(other)"
            }
        },
        Attack("payload of another document", code: "bad_signature") { specimen in
            let other = try specimen.renewal?.text().split(separator: ".")[1] ?? ""
            specimen.outer.editText = { text in
                let parts = text.split(separator: ".")
                return "\(parts[0]).\(other).\(parts[2])"
            }
        },
        Attack("payload changed after signing", code: "bad_signature") {
            $0.outer.editText = { text in
                var parts = text.split(separator: ".").map(String.init)
                let last = parts[1].removeLast()
                parts[1] += last == "A" ? "B" : "A"
                return parts.joined(separator: ".")
            }
        },
        Attack("header member added after signing", code: "bad_signature") { specimen in
            var header = specimen.outer.header
            header["kid"] = "1"
            let changed = Base64URL.encode(header.bytes)
            specimen.outer.editText = { text in
                "\(changed)." + text.split(separator: ".")[1...].joined(separator: ".")
            }
        },
        Attack("key offered in the header", code: "bad_signature") {
            $0.outer.key = try .generate(.p256)
            $0.outer.header["jwk"] = ["kty": "EC", "crv": "P-256", "x": "AA", "y": "AA"]
            $0.outer.header["jku"] = "https://attacker.example/keys"
        },
    ]

    /// Both nested documents stay inside the window, so only the outer one is wrong.
    private static func signed(_ name: String, code: String, at milliseconds: Int64) -> Attack {
        Attack(name, code: code, from: { $0.now = Instant(milliseconds: max(milliseconds, Specimen.now.milliseconds)) })
        {
            $0.outer.payload["signedDate"] = .number(String(milliseconds))
        }
    }

    static let dates = [
        signed(
            "one second after the leaf's end",
            code: "outside_validity",
            at: PKI.validity.upperBound.milliseconds + 1000
        ),
        signed(
            "one second before the leaf's start",
            code: "outside_validity",
            at: PKI.validity.lowerBound.milliseconds - 1000
        ),
        signed("in 1970", code: "outside_validity", at: 0),
        signed("in Xcode's year 1", code: "outside_validity", at: -62_135_769_600_000),
        Attack(
            "expired leaf and no signed date",
            code: "outside_validity",
            from: { $0.now = PKI.validity.upperBound + .seconds(60) }
        ) {
            $0.outer.payload["signedDate"] = nil
        },
        Attack("a little more than five minutes ahead", code: "signed_in_future") {
            $0.outer.payload["signedDate"] = .number(String(Specimen.now.milliseconds + 300_001))
        },
        Attack("in 2050", code: "signed_in_future") { $0.outer.payload["signedDate"] = 2_524_608_000_000 },
        Attack("date as text", code: "invalid_payload") {
            $0.outer.payload["signedDate"] = .text(String(Specimen.now.milliseconds))
        },
        Attack("date beyond all calendars", code: "invalid_payload") { $0.outer.payload["signedDate"] = .raw("1e300") },
        Attack("date before all calendars", code: "invalid_payload") { $0.outer.payload["signedDate"] = .raw("-1e18") },
        Attack("nested date beyond all calendars", code: "invalid_payload") {
            $0.transaction?.payload["expiresDate"] = .raw("9223372036854775808")
        },
    ]
}
