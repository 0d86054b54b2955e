import Domain
import Testing

@Suite struct CursorTests {
    @Test func printsWhatItReads() {
        #expect(Cursor("k3x9-1042") == Cursor(epoch: "k3x9", position: 1042))
        #expect(Cursor(epoch: "k3x9", position: 1042).description == "k3x9-1042")
    }

    @Test(arguments: [
        "", "-", "k3x9", "k3x9-", "-1", "k3x9--1", "k3x9-1-2", "K-1", "k3x9-99999999999999999999", "k\r\n-1",
    ])
    func refuses(_ text: String) {
        #expect(Cursor(text) == nil)
    }

    @Test func tokensAreLowerCaseUUIDs() {
        #expect(
            OrderToken("A5AF9B36-0E4D-4665-8351-0E4003752165")?.description == "a5af9b36-0e4d-4665-8351-0e4003752165"
        )
        #expect(OrderToken("a5af9b36-0e4d-4665-8351-0e400375216") == nil)
        let token = OrderToken.random().description
        #expect(OrderToken(token)?.description == token)
        #expect(Array(token)[14] == "4")
    }
}
