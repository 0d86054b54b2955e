import Testing

@testable import Gateway

@Suite struct SteadyReadTests {
    struct Progress: Sendable {
        var start: UInt64 = 1000
        var confirmed: UInt64
        var seconds: Int
        var isSteady: Bool
    }

    @Test(arguments: [
        Progress(confirmed: 1000, seconds: 30, isSteady: false),
        Progress(confirmed: 1000 + 30 * 1024 - 1, seconds: 30, isSteady: false),
        Progress(confirmed: 1000 + 30 * 1024, seconds: 30, isSteady: true),
        Progress(confirmed: 1000 + 30 * 1024, seconds: 31, isSteady: false),
        Progress(confirmed: 1000 + 3600 * 1024, seconds: 3600, isSteady: true),
        // The kernel does not say.
        Progress(confirmed: 0, seconds: 1, isSteady: false),
    ]) func steadyIsOneKibibyteASecond(_ example: Progress) {
        let isSteady = readsSteadily(from: example.start, to: example.confirmed, in: example.seconds)
        #expect(isSteady == example.isSteady)
    }
}
