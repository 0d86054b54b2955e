import Testing

@testable import API

@Suite struct RefusedWebhooksTests {
    @Test(arguments: [0, 1, 499, 500, 501, 1234]) func keepsTheNewest(_ count: Int) {
        let refused = RefusedWebhooks()
        for number in 0..<count {
            refused.add(
                AttentionAnswer.Refused(
                    at: "2026-01-31T12:00:00Z",
                    route: "/webhooks/apple",
                    client: nil,
                    reason: "bad_signature",
                    message: "It is not.",
                    setting: nil,
                    bytes: number
                )
            )
        }
        let numbers = refused.newest.map(\.bytes)
        #expect(numbers == Array((max(0, count - RefusedWebhooks.limit)..<count).reversed()))
    }
}
