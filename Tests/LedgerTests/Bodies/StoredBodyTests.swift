import Crypto
import Domain
import Encoding
import Support
import TestSupport
import Testing

@testable import Ledger
@testable import Simulator

@Suite struct StoredBodyTests {
    private static let header = SignedBody.header()

    struct Body: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var bytes: [UInt8]
        /// The first stored byte; nil for the body's own.
        var form: UInt8?
        var usesHeader = false

        init(_ name: String, _ bytes: [UInt8], form: UInt8? = nil, usesHeader: Bool = false) {
            testDescription = name
            self.bytes = bytes
            self.form = form
            self.usesHeader = usesHeader
        }

        init(_ name: String, _ text: String, form: UInt8? = nil, usesHeader: Bool = false) {
            self.init(name, Array(text.utf8), form: form, usesHeader: usesHeader)
        }
    }

    private static let document = SignedBody.document(#"{"a":1}"#, header: header)
    private static let pieces = document.split(separator: ".").map { String($0) }
    private static let long = String(repeating: #"{"member":"value"},"#, count: 20)

    private static func noise(_ count: Int) -> [UInt8] {
        var generator = SeededGenerator(seed: 7)
        return (0..<count).map { _ in UInt8.random(in: 4...255, using: &generator) }
    }

    @Test(arguments: [
        Body("nothing", [] as [UInt8]),
        Body("short", #"{"id":"evt_1"}"#),
        Body("JSON", long, form: 2),
        Body("noise", noise(500)),
        Body("begins as one that came with its own form", [1, 2, 3], form: 1),
        Body("begins as a compressed one", [2], form: 1),
        Body("begins as parts", [3, 0, 0], form: 1),
        Body("begins with zero", [0, 1, 2]),
        Body("larger than any", [UInt8](repeating: 65, count: StoredBody.limit + 1)),
        Body("notification", SignedBody.notification(outer: header, inner: header), form: 3, usesHeader: true),
        Body(
            "notification whose documents have another header",
            SignedBody.notification(outer: header, inner: SignedBody.header(2)),
            form: 3,
            usesHeader: true
        ),
        Body(
            "notification in an unknown envelope",
            SignedBody.notification(outer: SignedBody.header(2), inner: header),
            form: 3,
            usesHeader: true
        ),
        Body(
            "notification with no header that is known",
            SignedBody.notification(outer: SignedBody.header(2), inner: SignedBody.header(2)),
            form: 3
        ),
        Body("document alone", document, form: 3, usesHeader: true),
        Body("documents side by side", "\(document) \(document)\n", form: 3, usesHeader: true),
        Body("four pieces", "\(document).AAAA", form: 3, usesHeader: true),
        Body("behind other letters", "xyz\(document)", form: 3, usesHeader: true),
        Body("in the middle of a text", long + document + long, form: 3, usesHeader: true),
        Body("nested as deep as it goes", SignedBody.nested(4, header: header), form: 3, usesHeader: true),
        Body("nested deeper", SignedBody.nested(6, header: header), form: 3, usesHeader: true),
        Body("padded payload", "\(pieces[0]).\(pieces[1])=.\(pieces[2])", form: 2),
        Body("bits at the payload's end", "\(pieces[0]).e31.\(pieces[2])", form: 2),
        Body("other alphabet", "\(pieces[0]).e+/w.\(pieces[2])", form: 2),
        Body("space in the header", " eyJ \(pieces[0]).\(pieces[1]).\(pieces[2])", form: 3, usesHeader: true),
        Body("line break in the payload", "\(pieces[0]).e3\n0.\(pieces[2])", form: 2),
        Body("no signature", "\(pieces[0]).\(pieces[1])", form: 2),
        Body("empty signature", "\(pieces[0]).\(pieces[1]).", form: 3, usesHeader: true),
        Body("header alone", String(decoding: header, as: UTF8.self), form: 2),
        Body("a thousand beginnings", String(repeating: "eyJ ", count: 1000) + document, form: 2),
    ]) func comesBackAsItCame(_ body: Body) throws {
        let stored = StoredBody(body.bytes, sharing: Self.header)
        #expect(stored.bytes.first == body.form ?? body.bytes.first)
        #expect(stored.header == (body.usesHeader ? Self.header : nil))
        #expect(stored.bytes.count <= body.bytes.count + 1)
        #expect(try stored.body() == body.bytes)
        #expect(try StoredBody(body.bytes).body() == body.bytes)
    }

    /// Whatever is changed, removed or put in.
    @Test(arguments: 0..<20) func anyBytesComeBack(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let body = SignedBody.notification(outer: Self.header, inner: seed.isMultiple(of: 2) ? Self.header : [])
        for _ in 0..<100 {
            var changed = body
            for _ in 0..<Int.random(in: 0...4, using: &generator) {
                let at = Int.random(in: 0..<changed.count, using: &generator)
                switch Int.random(in: 0..<4, using: &generator) {
                case 0: changed[at] = UInt8.random(in: 0...255, using: &generator)
                case 1: changed.insert(UInt8.random(in: 32...126, using: &generator), at: at)
                case 2: changed.removeSubrange(at..<min(changed.count, at + 50))
                default: changed.insert(contentsOf: Array("eyJ.".utf8), at: at)
                }
            }
            #expect(try StoredBody(changed, sharing: Self.header).body() == changed)
            let noise = (0..<Int.random(in: 0...300, using: &generator)).map { _ in
                UInt8.random(in: 0...255, using: &generator)
            }
            #expect(try StoredBody(noise, sharing: Self.header).body() == noise)
        }
    }

    /// Whoever changes it can read no ledger of before.
    @Test func dictionaryIsWhatItWas() {
        let digest = "63a98011a62d59dff7cd57fe2b799202f5ebd07e8119378582164a98a4598ba2"
        #expect(Hex.encode(SHA256.hash(Zstandard.dictionary)) == digest)
    }

    /// Made by `zstd -1 --no-check`.
    @Test func frameThatRefersToNoDictionaryIsRead() throws {
        let frame = "28b52ffd204bd50000987b226d656d626572223a2276616c7565227d2c01006be70c03"
        let body = StoredBody(bytes: [2] + (try #require(Hex.decode(frame))), header: nil)
        #expect(
            try body.body()
                == Array(#"{"member":"value"},{"member":"value"},{"member":"value"},{"member":"value"}"#.utf8)
        )
    }

    private static let compressed = Zstandard.compress(Array(long.utf8)) ?? []
    private static let zeros = Zstandard.compress([UInt8](repeating: 0, count: StoredBody.limit + 1)) ?? []
    private static let withoutEnd = [[UInt8]](
        repeating: [2, 120] + [UInt8](repeating: 65, count: 120) + [0, 0],
        count: 8000
    ).flatMap(\.self)
    private static let tooDeep: [UInt8] = (0..<6).reduce(into: []) { inner, _ in
        inner = [2, 0, UInt8(inner.count)] + inner
        inner.append(0)
    }

    struct Damage: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var error: UnreadableBody
        var bytes: [UInt8]

        init(_ name: String, _ error: UnreadableBody, _ bytes: [UInt8]) {
            testDescription = name
            self.error = error
            self.bytes = bytes
        }

        /// Compressed as a body's parts are.
        init(_ name: String, _ error: UnreadableBody, parts: [UInt8]) {
            self.init(name, error, [3] + (Zstandard.compress(parts) ?? []))
        }
    }

    @Test(arguments: [
        Damage("nothing compressed", .damagedFrame, [2]),
        Damage("no frame", .damagedFrame, [2, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]),
        Damage("frame cut short", .damagedFrame, [2] + compressed.dropLast()),
        Damage("frame with more behind it", .damagedFrame, [2] + compressed + [7]),
        Damage(
            "frame that grows without bounds",
            .damagedFrame,
            [2] + zeros
        ),
        Damage("unknown kind", .damagedParts, parts: [4]),
        Damage("no length", .damagedParts, parts: [0]),
        Damage("length beyond the end", .damagedParts, parts: [0, 2, 65]),
        Damage("length without an end", .damagedParts, parts: [0, 255, 255, 255, 255, 255, 255, 255, 255, 1]),
        Damage("document without a signature", .damagedParts, parts: [2, 1, 65, 0]),
        Damage("payload that is no parts", .damagedParts, parts: [2, 1, 65, 1, 9, 0]),
        Damage("shared header that is not there", .missingHeader, parts: [1, 0, 0]),
        Damage(
            "too deep",
            .damagedParts,
            parts: tooDeep
        ),
        Damage(
            "documents without end",
            .tooLarge,
            parts: withoutEnd
        ),
    ]) func damageIsRefused(_ damage: Damage) {
        let stored = StoredBody(bytes: damage.bytes, header: nil)
        #expect(throws: damage.error) { try stored.body() }
    }

    /// A header of 4 KB costs one byte there.
    @Test func sharedHeadersDoNotGrowWithoutBounds() throws {
        let parts = [[UInt8]](repeating: [1, 0, 0], count: 400).flatMap(\.self)
        let stored = StoredBody(bytes: [3] + (Zstandard.compress(parts) ?? []), header: Self.header)
        #expect(throws: UnreadableBody.tooLarge) { try stored.body() }
    }

    @Test(arguments: SimulatedStores.providers) func storesBodiesGetSmaller(_ provider: Provider) throws {
        let body = try Self.purchase(provider)
        let stored = StoredBody(body)
        #expect(try stored.body() == body)
        #expect(Double(stored.bytes.count) < (provider == .google ? 0.85 : 0.65) * Double(body.count))
    }

    private static func purchase(_ provider: Provider) throws -> [UInt8] {
        let folder = TemporaryFolder()
        let store = try #require(DevelopmentWorkspace.open(in: folder.path).store(provider))
        let first = try #require(LifecycleEventNames(provider).event(for: .initial))
        let order = OrderToken.random()
        let event = SimulatedEvent(
            type: first.type,
            subtype: first.subtype,
            facts: SimulatedSubscription(product: "paycast.pro.monthly", order: order),
            user: "buyer",
            token: order,
            app: nil,
            now: Fixture.now
        )
        return try store.delivery(event).body
    }

    @Test(.enabled(if: genuineNotification != nil)) func genuineNotificationTakesLessThanOneKilobyte() throws {
        let body = try #require(genuineNotification)
        let header = body.dropFirst(#"{"signedPayload":""#.utf8.count).prefix { $0 != UInt8(ascii: ".") }
        let stored = StoredBody(body, sharing: Array(header))
        #expect(stored.header == Array(header) && stored.bytes.count < 1000)
        #expect(try stored.body() == body)
    }
}

/// It stands beside the project, not in it.
private let genuineNotification: [UInt8]? = {
    let root = #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
    return try? SmallFile.read("/\(root)/../shared/data/apple/did-renew-sandbox.json")
}()
