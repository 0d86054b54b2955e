import Testing

@testable import Gateway

/// 5 connections in all, 2 of one address; 64 more are answered in either case. 198.51.100.1 is a proxy of ours.
@Suite struct CensusTests {
    private func census(connections: Int = 5, perAddress: Int = 2) throws -> Census {
        var limits = Limits(connections: connections)
        limits.connectionsPerAddress = perAddress
        return try Census(limits: limits, proxies: TrustedProxies([#require(TrustedProxies.Network("198.51.100.1"))]))
    }

    private func fill(_ census: Census, _ address: String?, _ count: Int) -> [Census.Place] {
        (0..<count).map { _ in census.enter(address.flatMap { IPAddress($0) }) }
    }

    @Test func inAllThereAreSeatsThenAReserveThenNothing() throws {
        let places = try fill(census(), nil, 5 + Limits.fullReserve + 3)
        #expect(places.prefix(5).allSatisfy { $0 == .stay })
        #expect(places.dropFirst(5).prefix(Limits.fullReserve).allSatisfy { $0 == .reserve })
        #expect(places.suffix(3).allSatisfy { $0 == .none })
    }

    @Test(arguments: ["203.0.113.7", "2001:db8::1"]) func oneAddressHasItsShare(_ address: String) throws {
        let census = try census(connections: 1000)
        #expect(fill(census, address, 3) == [.stay, .stay, .reserve])
        #expect(fill(census, address, Limits.fullReserve).last == Census.Place.none)
        #expect(fill(census, "203.0.113.8", 1) == [.stay])
        #expect(census.total == 3 + Limits.fullReserve)
    }

    @Test func aNetworkOfIPv6IsOneClient() throws {
        let census = try census()
        let places = ["2001:db8::1", "2001:db8::2", "2001:db8::ffff:1", "2001:db8:0:1::1"].flatMap {
            fill(census, $0, 1)
        }
        #expect(places == [.stay, .stay, .reserve, .stay])
    }

    @Test(arguments: ["127.0.0.1", "::1", "10.0.0.9", "192.168.1.1", "fd00::1", "198.51.100.1"])
    func whoStandsForManyIsNotCounted(_ address: String) throws {
        #expect(try fill(census(), address, 5).allSatisfy { $0 == .stay })
    }

    @Test func whoLeavesMakesRoom() throws {
        let census = try census()
        let address = IPAddress("203.0.113.7")
        for _ in 0..<1000 {
            #expect(census.enter(address) == .stay)
            census.leave(address)
        }
        #expect(census.total == 0)
    }

    @Test func aProxysConnectionCountsForItsClient() throws {
        let census = try census()
        let (proxy, client) = (IPAddress("198.51.100.1"), IPAddress("203.0.113.7"))
        #expect(fill(census, "203.0.113.7", 2) == [.stay, .stay])
        #expect(census.enter(proxy) == .stay)
        #expect(census.move(from: proxy, to: client) == .reserve)
        #expect(census.move(from: client, to: proxy) == .stay)
        #expect(census.total == 3)
    }
}
