import Crypto
import Domain

/// A certificate authority of three in Apple's shape, made anew in every run; one change at a time makes a broken one.
struct PKI: Sendable {
    var root: CertificateIssuer
    var intermediate: CertificateIssuer
    var leaf: CertificateIssuer

    /// Shorter than Apple's: 2025 and 2026.
    static let validity = Instant(milliseconds: 1_735_689_600_000)...Instant(milliseconds: 1_798_761_599_000)
    static let authorityValidity = Instant(milliseconds: 1_577_836_800_000)...Instant(milliseconds: 2_208_988_800_000)

    typealias Bend = @Sendable (inout CertificateTemplate) -> Void

    static func make(
        leafCurve: Curve = .p256,
        root bendRoot: Bend = { _ in },
        intermediate bendIntermediate: Bend = { _ in },
        leaf bendLeaf: Bend = { _ in }
    ) throws -> PKI {
        var (first, second, third) = (
            CertificateTemplate.root(validity: authorityValidity),
            CertificateTemplate.intermediate(validity: authorityValidity),
            CertificateTemplate.leaf(validity: validity)
        )
        bendRoot(&first)
        bendIntermediate(&second)
        bendLeaf(&third)
        let root = try CertificateIssuer.selfSigned(first, key: .generate(.p384))
        return try PKI(root: root, second: second, third: third, leafCurve: leafCurve)
    }

    private init(
        root: CertificateIssuer,
        second: CertificateTemplate,
        third: CertificateTemplate,
        leafCurve: Curve
    ) throws {
        self.root = root
        intermediate = try root.issue(second, for: .generate(.p384))
        leaf = try intermediate.issue(third, for: .generate(leafCurve))
    }

    /// The same root with other certificates below it.
    func reissued(
        leafCurve: Curve = .p256,
        intermediate bendIntermediate: Bend = { _ in },
        leaf bendLeaf: Bend = { _ in }
    ) throws -> PKI {
        var second = CertificateTemplate.intermediate(validity: PKI.authorityValidity)
        var third = CertificateTemplate.leaf(validity: PKI.validity)
        bendIntermediate(&second)
        bendLeaf(&third)
        return try PKI(root: root, second: second, third: third, leafCurve: leafCurve)
    }

    var chain: [[UInt8]] { [leaf, intermediate, root].map(\.certificate) }

    static let shared = Result { try PKI.make() }
}
