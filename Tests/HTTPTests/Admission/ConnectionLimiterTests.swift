import Testing

@testable import HTTP

/// 5 connections in all, 2 of one address; 64 more are answered in either case. 198.51.100.1 is a proxy of ours.
@Suite struct ConnectionLimiterTests {
    private func limiter(connections: Int = 5, perAddress: Int = 2) throws -> ConnectionLimiter {
        var limits = Limits(connections: connections)
        limits.connectionsPerAddress = perAddress
        return try ConnectionLimiter(
            limits: limits,
            proxies: [#require(IPNetwork("198.51.100.1"))]
        )
    }

    private func fill(_ limiter: ConnectionLimiter, from address: String?, count: Int) -> [ConnectionLimiter.Admission]
    {
        (0..<count).map { _ in limiter.enter(address.flatMap { IPAddress($0) }) }
    }

    @Test func inAllThereAreSeatsThenAReserveThenNothing() throws {
        let admissions = try fill(limiter(), from: nil, count: 5 + Limits.fullReserve + 3)
        #expect(admissions.prefix(5).allSatisfy { $0 == .accept })
        #expect(admissions.dropFirst(5).prefix(Limits.fullReserve).allSatisfy { $0 == .overflow })
        #expect(admissions.suffix(3).allSatisfy { $0 == .reject })
    }

    @Test(arguments: ["203.0.113.7", "2001:db8::1"]) func oneAddressHasItsShare(_ address: String) throws {
        let limiter = try limiter(connections: 1000)
        #expect(fill(limiter, from: address, count: 3) == [.accept, .accept, .overflow])
        #expect(fill(limiter, from: address, count: Limits.fullReserve).last == ConnectionLimiter.Admission.reject)
        #expect(fill(limiter, from: "203.0.113.8", count: 1) == [.accept])
        #expect(limiter.total == 3 + Limits.fullReserve)
    }

    @Test func aNetworkOfIPv6IsOneClient() throws {
        let limiter = try limiter()
        let admissions = ["2001:db8::1", "2001:db8::2", "2001:db8::ffff:1", "2001:db8:0:1::1"].flatMap {
            fill(limiter, from: $0, count: 1)
        }
        #expect(admissions == [.accept, .accept, .overflow, .accept])
    }

    @Test(arguments: ["127.0.0.1", "::1", "10.0.0.9", "192.168.1.1", "fd00::1", "198.51.100.1"])
    func whoStandsForManyIsNotCounted(_ address: String) throws {
        #expect(try fill(limiter(), from: address, count: 5).allSatisfy { $0 == .accept })
    }

    @Test func whoLeavesMakesRoom() throws {
        let limiter = try limiter()
        let address = IPAddress("203.0.113.7")
        for _ in 0..<1000 {
            #expect(limiter.enter(address) == .accept)
            limiter.leave(address)
        }
        #expect(limiter.total == 0)
    }

    @Test func aProxysConnectionCountsForItsClient() throws {
        let limiter = try limiter()
        let (proxy, client) = (IPAddress("198.51.100.1"), IPAddress("203.0.113.7"))
        #expect(fill(limiter, from: "203.0.113.7", count: 2) == [.accept, .accept])
        #expect(limiter.enter(proxy) == .accept)
        #expect(limiter.move(from: proxy, to: client) == .overflow)
        #expect(limiter.move(from: client, to: proxy) == .accept)
        #expect(limiter.total == 3)
    }
}
