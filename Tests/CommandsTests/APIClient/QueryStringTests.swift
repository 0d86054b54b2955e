import Testing

@testable import Commands

@Suite struct QueryStringTests {
    @Test func queryIsEncoded() {
        #expect(queryString([("user", "ü &=1"), ("since", "e-1")]) == "?user=%C3%BC%20%26%3D1&since=e-1")
        #expect(queryString([]) == "")
    }
}
