internal import Domain
internal import Glibc

/// First purchases of as many users: orders created, notifications signed before anything is measured.
struct Purchases {
    let notifications: [[UInt8]]

    init(_ count: Int, at target: PaycastTarget, _ publishers: Publishers) throws {
        let tokens = (0..<count).map { _ in OrderToken.random() }
        for (channel, token) in tokens.enumerated() { try publishers.send(target.order(token, channel: channel)) }
        let now = Instant(milliseconds: Int64(time(nil)) * 1000)
        notifications = try tokens.map { try target.purchase($0, now: now) }
        try publishers.finish()
    }
}
