import Domain
import Testing

@testable import Redis

@Suite struct RedisChannelsTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var prefix: String?
        var pattern: String
        var channel: String
        var stream: String?
        var testDescription: String { "\(prefix ?? "no prefix"), \(channel.debugDescription)" }
    }

    @Test(arguments: [
        Case(prefix: nil, pattern: "*", channel: "user:42:paywall", stream: "user:42:paywall"),
        Case(prefix: "shop_production", pattern: "shop_production:*", channel: "shop_production:a:b", stream: "a:b"),
        Case(prefix: "shop", pattern: "shop:*", channel: "shop_production:a", stream: nil),
        Case(prefix: "shop", pattern: "shop:*", channel: "shop:", stream: nil),
        Case(prefix: "a*[b]?\\", pattern: "a\\*\\[b\\]\\?\\\\:*", channel: "a*[b]?\\:s", stream: "s"),
        Case(prefix: nil, pattern: "*", channel: "line\nbreak", stream: nil),
        Case(prefix: nil, pattern: "*", channel: String(repeating: "s", count: 513), stream: nil),
    ]) func namesStreamsAsActionCableDoes(_ given: Case) {
        let channels = RedisChannels(prefix: given.prefix, token: 1)
        #expect(channels.pattern == given.pattern)
        #expect(channels.stream(of: Array(given.channel.utf8))?.text == given.stream)
    }

    @Test func heartbeatsOfOthersAreKnown() {
        let ours = RedisChannels(prefix: "shop", token: 1)
        let other = RedisChannels(prefix: "shop", token: 2)
        #expect(ours.heartbeat != other.heartbeat)
        #expect(ours.isHeartbeat(Array(other.heartbeat.utf8)))
        #expect(!ours.isHeartbeat(Array("shop:paycast_heart".utf8)))
    }

    @Test func bytesThatAreNoTextNameNoStream() {
        #expect(RedisChannels(prefix: nil, token: 1).stream(of: [0xFF, 0x41]) == nil)
    }
}
