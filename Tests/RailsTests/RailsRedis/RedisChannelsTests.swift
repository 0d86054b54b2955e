import Testing

@testable import Rails

@Suite struct RedisChannelsTests {
    @Test(
        arguments: [(nil, "*"), ("shop_production", "shop_production:*"), ("a*[b]?\\", "a\\*\\[b\\]\\?\\\\:*")]
            as [(String?, String)]
    )
    func patternTakesThePrefixAsItIs(_ prefix: String?, pattern: String) {
        #expect(RedisChannels(RailsChannels(prefix: prefix), token: 1).pattern == pattern)
    }

    @Test func heartbeatsOfOthersAreKnown() {
        let ours = RedisChannels(RailsChannels(prefix: "shop"), token: 1)
        let other = RedisChannels(RailsChannels(prefix: "shop"), token: 2)
        #expect(ours.heartbeat != other.heartbeat)
        #expect(ours.isHeartbeat(Array(other.heartbeat.utf8)))
        #expect(!ours.isHeartbeat(Array("shop:paycast_heart".utf8)))
    }
}
