import Crypto
import Domain
import Encoding

extension Attack {
    private static func x5c(_ name: String, code: String, change: @escaping @Sendable ([String], PKI) -> JSON?)
        -> Attack
    {
        Attack(name, code: code) { specimen in
            let certificates = specimen.pki.chain.map { Base64.encode($0) }
            specimen.outer.header["x5c"] = change(certificates, specimen.pki)
        }
    }

    private static func chain(_ name: String, change: @escaping @Sendable (PKI) throws -> PKI) -> Attack {
        Attack(name, code: "untrusted_chain") { $0.sign(with: try change($0.pki)) }
    }

    static let certificates = [
        x5c("no x5c", code: "invalid_certificates") { _, _ in nil },
        x5c("empty x5c", code: "invalid_certificates") { _, _ in [] },
        x5c("one certificate", code: "invalid_certificates") { x5c, _ in [.text(x5c[0])] },
        x5c("two certificates", code: "invalid_certificates") { x5c, _ in [.text(x5c[0]), .text(x5c[1])] },
        x5c("four certificates", code: "invalid_certificates") { x5c, _ in .array((x5c + [x5c[2]]).map { .text($0) }) },
        x5c("x5c is one string", code: "invalid_jws") { x5c, _ in .text(x5c.joined()) },
        x5c("leaf is not Base64", code: "invalid_certificates") { x5c, _ in ["!!!", .text(x5c[1]), .text(x5c[2])] },
        x5c("leaf is empty", code: "invalid_certificates") { x5c, _ in ["", .text(x5c[1]), .text(x5c[2])] },
        x5c("leaf is not DER", code: "invalid_certificates") { x5c, _ in ["AAAA", .text(x5c[1]), .text(x5c[2])] },
        x5c("leaf in lines", code: "invalid_certificates") { x5c, _ in
            [.text(x5c[0].prefix(64) + "\n" + x5c[0].dropFirst(64)), .text(x5c[1]), .text(x5c[2])]
        },
        x5c("byte after the leaf", code: "invalid_certificates") { x5c, pki in
            [.text(Base64.encode(pki.leaf.certificate + [0])), .text(x5c[1]), .text(x5c[2])]
        },
        x5c("byte after the intermediate", code: "invalid_certificates") { x5c, pki in
            [.text(x5c[0]), .text(Base64.encode(pki.intermediate.certificate + [0])), .text(x5c[2])]
        },
        x5c("leaf cut short", code: "invalid_certificates") { x5c, pki in
            [.text(Base64.encode(pki.leaf.certificate.dropLast())), .text(x5c[1]), .text(x5c[2])]
        },
        x5c("leaf twice", code: "untrusted_chain") { x5c, _ in [.text(x5c[0]), .text(x5c[0]), .text(x5c[2])] },
        x5c("intermediate twice", code: "untrusted_chain") { x5c, _ in [.text(x5c[1]), .text(x5c[1]), .text(x5c[2])] },
        x5c("root three times", code: "untrusted_chain") { x5c, _ in [.text(x5c[2]), .text(x5c[2]), .text(x5c[2])] },
        x5c("reversed order", code: "untrusted_chain") { x5c, _ in .array(x5c.reversed().map { .text($0) }) },
        x5c("flipped bit in the leaf's signature", code: "untrusted_chain") { x5c, pki in
            var leaf = pki.leaf.certificate
            leaf[leaf.count - 1] ^= 1
            return [.text(Base64.encode(leaf)), .text(x5c[1]), .text(x5c[2])]
        },
        x5c("flipped bit in the intermediate's signature", code: "untrusted_chain") { x5c, pki in
            var intermediate = pki.intermediate.certificate
            intermediate[intermediate.count - 1] ^= 1
            return [.text(x5c[0]), .text(Base64.encode(intermediate)), .text(x5c[2])]
        },
    ]

    private static let leafMarker = "1.2.840.113635.100.6.11.1"
    private static let intermediateMarker = "1.2.840.113635.100.6.2.1"

    static let chains = [
        chain("foreign root of the same name") { _ in try PKI.make() },
        chain("leaf without its marker") { try $0.reissued(leaf: { $0.markers = [] }) },
        chain("leaf with a neighboring marker") { try $0.reissued(leaf: { $0.markers = [leafMarker + ".1"] }) },
        chain("intermediate without its marker") { try $0.reissued(intermediate: { $0.markers = [] }) },
        chain("markers swapped") {
            try $0.reissued(
                intermediate: { $0.markers = [leafMarker] },
                leaf: { $0.markers = [intermediateMarker] }
            )
        },
        chain("intermediate is no authority") {
            try $0.reissued(intermediate: { $0.basicConstraints = "critical,CA:FALSE" })
        },
        chain("intermediate without basic constraints") {
            try $0.reissued(intermediate: { $0.basicConstraints = nil })
        },
        chain("intermediate may not sign certificates") {
            try $0.reissued(intermediate: { $0.keyUsage = "critical,digitalSignature" })
        },
        chain("leaf is an authority") {
            try $0.reissued(leaf: {
                $0.basicConstraints = "critical,CA:TRUE"
                $0.keyUsage = "critical,digitalSignature,keyCertSign"
            })
        },
        chain("leaf may not sign documents") { try $0.reissued(leaf: { $0.keyUsage = "critical,keyAgreement" }) },
        chain("leaf on P-384") { try $0.reissued(leafCurve: .p384) },
        chain("unknown critical extension in the leaf") { try $0.reissued(leaf: { $0.criticalMarkers = ["1.2.3.4"] }) },
        chain("unknown critical extension in the intermediate") {
            try $0.reissued(intermediate: { $0.criticalMarkers = ["1.2.3.4"] })
        },
        chain("no key identifiers") { try $0.reissued(leaf: { $0.hasKeyIdentifiers = false }) },
        chain("self-signed leaf") { pki in
            var other = pki
            other.leaf = try CertificateIssuer.selfSigned(.leaf(validity: PKI.validity), key: .generate(.p256))
            return other
        },
        chain("leaf issued by the root") { pki in
            var other = pki
            other.leaf = try pki.root.issue(.leaf(validity: PKI.validity), for: .generate(.p256))
            return other
        },
        chain("leaf issued by the root, which stands in as intermediate") { pki in
            var other = pki
            other.leaf = try pki.root.issue(.leaf(validity: PKI.validity), for: .generate(.p256))
            other.intermediate = pki.root
            return other
        },
        chain("leaf of another intermediate") { pki in
            var other = try pki.reissued()
            other.intermediate = pki.intermediate
            return other
        },
        chain("chain of four, the root below another") { pki in
            var other = pki
            let second = try pki.root.issue(
                .intermediate(validity: PKI.authorityValidity),
                for: .generate(.p384)
            )
            other.intermediate = try second.issue(
                .intermediate(validity: PKI.authorityValidity),
                for: .generate(.p384)
            )
            other.leaf = try other.intermediate.issue(.leaf(validity: PKI.validity), for: .generate(.p256))
            return other
        },
    ]
}
