/// Why broadcasts do not arrive, in words for the operator. Contains nothing that was sent to Redis, such as passwords.
enum RedisProblem: Error, Equatable, CustomStringConvertible {
    case starting
    /// The text of the system or the resolver.
    case unreachable(String)
    case closed
    /// Connected, but heartbeats do not come back.
    case silent
    /// `code` is the first word of Redis' error; the rest may repeat a password.
    case refused(command: String, code: String)
    case notRedis
    case tooMuch

    var description: String {
        switch self {
        case .starting: startingProblem
        case .unreachable(let reason): "\(reason); check REDIS_URL and whether Redis runs"
        case .closed: "it closed the connection; look at its log"
        case .silent:
            "it accepts connections, but a heartbeat published through it does not come back; check whether it hangs"
        case .refused(_, "WRONGPASS"), .refused("AUTH", "ERR"):
            "it refused the user or the password; check REDIS_URL"
        case .refused(_, "NOAUTH"): "it requires a password; add it to REDIS_URL, as in redis://:PASSWORD@HOST"
        case .refused(let command, "NOPERM"):
            "its user may not run \(command); allow +psubscribe, +publish and the channels"
        case .refused(let command, let code): "it answered \(command) with the error \(code); look at its log"
        case .notRedis: "the server that answers is not Redis; check REDIS_URL"
        case .tooMuch: "it sent a message of more than 64 MiB; find the program that publishes it"
        }
    }
}
