internal import Admission
internal import Observability
internal import Settings

extension SettingsReader {
    mutating func limits(loops: Int) -> Limits {
        let wanted = number("PAYCAST_MAX_CONNECTIONS", default: 50_000, in: 1...4_000_000)
        var limits = Limits(connections: wanted, loops: loops)
        read("PAYCAST_MAX_CONNECTIONS_PER_ADDRESS", into: &limits.connectionsPerAddress, in: 1...10_000_000)
        read("PAYCAST_MAX_SUBSCRIPTIONS", into: &limits.subscriptions, in: 1...100_000)
        read("PAYCAST_MAX_COMMANDS", into: &limits.commandsPerMinute, in: 1...1_000_000)
        read("PAYCAST_MAX_FRAME", into: &limits.messageBytes, in: 1024...(1 << 20))
        read("PAYCAST_MAX_QUEUE", into: &limits.queuedBytes, in: 4096...(64 << 20))
        read("PAYCAST_HEADER_SECONDS", into: &limits.headerSeconds, in: 1...600)
        read("PAYCAST_BODY_SECONDS", into: &limits.bodySeconds, in: 1...600)
        read("PAYCAST_IDLE_SECONDS", into: &limits.idleSeconds, in: 1...3600)
        read("PAYCAST_WRITE_SECONDS", into: &limits.writeSeconds, in: 1...3600)
        if limits.connections < wanted, given("PAYCAST_MAX_CONNECTIONS") != nil {
            warn(
                "PAYCAST_MAX_CONNECTIONS is lowered from \(wanted) to \(limits.connections): no more files may be open "
                    + "(ulimit -Hn is \(FileLimit.highest())); raise that limit, or lower the setting"
            )
        }
        return limits
    }

    mutating func retentionDays() -> Int? {
        let days = number("PAYCAST_RETENTION_DAYS", default: 0, in: 1...36_500)
        return days == 0 ? nil : days
    }

    mutating func trustedProxies() -> TrustedProxies {
        let items = list("PAYCAST_TRUSTED_PROXIES", expected: "an IP address or a network such as 10.0.0.0/8") {
            TrustedProxies.Network($0) != nil
        }
        return TrustedProxies(items.compactMap(TrustedProxies.Network.init))
    }

    private mutating func read(_ variable: String, into value: inout Int, in range: ClosedRange<Int>) {
        value = number(variable, default: value, in: range)
    }
}
