import Testing

@testable import Ledger

/// What the kernel says of the mounts of a container, as its engines make them.
@Suite struct LedgerVolumeTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var folder = "/var/lib/paycast"
        /// Besides the container's own files.
        var mounts: [String] = []
        var place: LedgerVolume?
    }

    private static let digest = "3f786850e387550fdab836ed7e6dc881de23001b3f786850e387550fdab836ed"
    private static let own = "612 500 0:59 / / ro,relatime master:240 - overlay overlay rw,lowerdir=/var/lib/docker/x"

    private static func volume(_ root: String, at point: String = "/var/lib/paycast", kind: String = "ext4") -> String {
        "640 612 254:1 \(root) \(point) rw,relatime master:1 shared:2 - \(kind) /dev/vda1 rw,discard"
    }

    @Test(arguments: [
        Case(testDescription: "no volume", place: .container),
        Case(
            testDescription: "a volume with a name",
            mounts: [volume("/var/lib/docker/volumes/paycast/_data")],
            place: .kept
        ),
        Case(testDescription: "a folder of the machine", mounts: [volume("/srv/paycast")], place: .kept),
        Case(testDescription: "a disk of its own", mounts: [volume("/")], place: .kept),
        Case(
            testDescription: "Docker's own for this container",
            mounts: [volume("/var/lib/docker/volumes/\(digest)/_data")],
            place: .nameless
        ),
        Case(
            testDescription: "Podman's, which lie on a disk of their own",
            mounts: [volume("/storage/volumes/\(digest)/_data")],
            place: .nameless
        ),
        Case(
            testDescription: "a name that only begins with digits",
            mounts: [volume("/volumes/\(digest)-paycast/_data")],
            place: .kept
        ),
        Case(testDescription: "memory", mounts: [volume("/", kind: "tmpfs")], place: .memory),
        Case(
            testDescription: "a volume above, another at the folder",
            mounts: [volume("/", at: "/var/lib", kind: "tmpfs"), volume("/srv/paycast")],
            place: .kept
        ),
        Case(
            testDescription: "the newest at one place",
            mounts: [volume("/srv"), volume("/", kind: "tmpfs")],
            place: .memory
        ),
        Case(
            testDescription: "a neighbour with a longer name",
            mounts: [volume("/srv", at: "/var/lib/paycast-old")],
            place: .container
        ),
        Case(
            testDescription: "a folder within the volume",
            folder: "/var/lib/paycast/state",
            mounts: [volume("/srv/paycast")],
            place: .kept
        ),
        Case(
            testDescription: "a blank in its name",
            folder: "/srv/my shop",
            mounts: [volume("/shops", at: #"/srv/my\040shop"#)],
            place: .kept
        ),
    ]) func isReadFromTheMounts(_ given: Case) {
        let mounts = ([Self.own] + given.mounts).joined(separator: "\n") + "\n"
        #expect(LedgerVolume(of: given.folder, mounts: mounts) == given.place)
        #expect((given.place?.loss == nil) == (given.place == .kept))
    }

    @Test(arguments: [
        "", "\n", "1 2 3", "612 500 0:59 / / ro,relatime overlay overlay rw", "612 500 0:59 / / ro - - -",
    ])
    func otherTextIsNoPlace(_ mounts: String) {
        #expect(LedgerVolume(of: "/", mounts: mounts) == (mounts.hasSuffix("- - -") ? .container : nil))
    }
}
