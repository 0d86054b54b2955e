import Testing

@testable import HTTP

@Suite struct IPAddressTests {
    @Test(arguments: [
        ("192.0.2.1", "192.0.2.1"), ("::1", "::1"), ("::ffff:192.0.2.1", "192.0.2.1"), ("2001:DB8::1", "2001:db8::1"),
        ("0.0.0.0", "0.0.0.0"), ("::", "::"),
    ]) func isReadAndSpelledInOneWay(_ text: String, spelling: String) {
        #expect(IPAddress(text)?.description == spelling)
    }

    @Test(arguments: [
        "", "1", "192.0.2", "192.0.2.256", "192.0.2.1:80", "[::1]", "fe80::1%eth0", "localhost", "192.0.2.1 ",
        "0x7f.0.0.1",
        "1.2.3.4\0", "１.2.3.4", "::1::", String(repeating: "1", count: 46),
    ]) func anythingElseIsNone(_ text: String) {
        #expect(IPAddress(text) == nil)
    }

    struct Kind: Sendable {
        var text: String
        var isLoopback = false
        var isPrivate = false
    }

    @Test(arguments: [
        Kind(text: "127.0.0.1", isLoopback: true), Kind(text: "127.255.255.255", isLoopback: true),
        Kind(text: "::1", isLoopback: true), Kind(text: "::ffff:127.0.0.1", isLoopback: true), Kind(text: "128.0.0.1"),
        Kind(text: "10.1.2.3", isPrivate: true), Kind(text: "172.16.0.1", isPrivate: true),
        Kind(text: "172.31.255.255", isPrivate: true), Kind(text: "172.32.0.1"), Kind(text: "172.15.0.1"),
        Kind(text: "192.168.9.9", isPrivate: true), Kind(text: "192.169.0.1"),
        Kind(text: "169.254.1.1", isPrivate: true),
        Kind(text: "100.64.0.1", isPrivate: true), Kind(text: "100.127.255.255", isPrivate: true),
        Kind(text: "100.128.0.1"), Kind(text: "100.63.255.255"), Kind(text: "fd00::1", isPrivate: true),
        Kind(text: "fc00::1", isPrivate: true), Kind(text: "fe80::1", isPrivate: true), Kind(text: "fe40::1"),
        Kind(text: "febf::1", isPrivate: true), Kind(text: "fec0::1"), Kind(text: "2001:db8::1"), Kind(text: "::2"),
    ]) func knowsWhatTheInternetCannotHave(_ kind: Kind) throws {
        let address = try #require(IPAddress(kind.text))
        #expect(address.isLoopback == kind.isLoopback)
        #expect(address.isPrivate == kind.isPrivate)
    }

    struct Membership: Sendable {
        var network: String
        var address: String
        var isMember: Bool
    }

    @Test(arguments: [
        Membership(network: "10.0.0.0/8", address: "10.255.0.1", isMember: true),
        Membership(network: "10.1.2.3/8", address: "10.9.9.9", isMember: true),
        Membership(network: "10.0.0.0/8", address: "11.0.0.1", isMember: false),
        Membership(network: "192.0.2.7", address: "192.0.2.7", isMember: true),
        Membership(network: "192.0.2.7", address: "192.0.2.6", isMember: false),
        Membership(network: "192.0.2.7", address: "::ffff:192.0.2.7", isMember: true),
        Membership(network: "0.0.0.0/0", address: "8.8.8.8", isMember: true),
        Membership(network: "0.0.0.0/0", address: "2001:db8::1", isMember: false),
        Membership(network: "::/0", address: "8.8.8.8", isMember: true),
        Membership(network: "2001:db8::/32", address: "2001:db8:ffff::1", isMember: true),
        Membership(network: "2001:db8::/32", address: "2001:db9::1", isMember: false),
        Membership(network: "2001:db8::/96", address: "2001:db8::1.2.3.4", isMember: true),
        Membership(network: "2001:db8::/127", address: "2001:db8::2", isMember: false),
        Membership(network: "::ffff:10.0.0.0/104", address: "10.4.4.4", isMember: true),
    ]) func aNetworkHasItsMembers(_ example: Membership) throws {
        let network = try #require(IPNetwork(example.network))
        #expect(try network.contains(#require(IPAddress(example.address))) == example.isMember)
    }

    @Test(arguments: [
        "", "/", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/+8", "::1/129", "10/8", "proxy", "*", "::1/1/2",
    ])
    func anythingElseIsNoNetwork(_ text: String) {
        #expect(IPNetwork(text) == nil)
    }
}
