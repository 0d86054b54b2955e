import Domain
import Rails
import Testing

@Suite struct RailsChannelsTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var prefix: String?
        var channel: String
        var stream: String?
        var testDescription: String { "\(prefix ?? "no prefix"), \(channel.debugDescription)" }
    }

    @Test(arguments: [
        Case(prefix: nil, channel: "user:42:paywall", stream: "user:42:paywall"),
        Case(prefix: "shop_production", channel: "shop_production:a:b", stream: "a:b"),
        Case(prefix: "shop", channel: "shop_production:a", stream: nil),
        Case(prefix: "shop", channel: "shop:", stream: nil),
        Case(prefix: "a*[b]?\\", channel: "a*[b]?\\:s", stream: "s"),
        Case(prefix: nil, channel: "line\nbreak", stream: nil),
        Case(prefix: nil, channel: String(repeating: "s", count: 513), stream: nil),
    ]) func namesStreamsAsActionCableDoes(_ given: Case) {
        let channels = RailsChannels(prefix: given.prefix)
        #expect(channels.stream(of: Array(given.channel.utf8))?.text == given.stream)
    }

    @Test func bytesThatAreNoTextNameNoStream() {
        #expect(RailsChannels(prefix: nil).stream(of: [0xFF, 0x41]) == nil)
    }
}
