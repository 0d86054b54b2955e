internal import Domain
internal import RailsRedis
internal import Settings

extension SettingsReader {
    /// Never shows `REDIS_URL`, which may carry a password.
    mutating func redis() -> RedisSettings? {
        let prefix = given("PAYCAST_REDIS_PREFIX")
        if let prefix, !isValidIdentifier(prefix.value) {
            reject(prefix.name, because: "\(quoted(prefix.value)) is not a prefix such as shop_production")
        }
        guard let given = given("REDIS_URL") else {
            if prefix != nil { warn("PAYCAST_REDIS_PREFIX is ignored without REDIS_URL") }
            return nil
        }
        do throws(RedisURL.Failure) {
            return RedisSettings(url: try RedisURL(given.value), prefix: prefix?.value)
        } catch {
            reject(given.name, because: "\(error)")
            return nil
        }
    }
}
