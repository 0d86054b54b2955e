internal import Foundation

/// https://www.rfc-editor.org/rfc/rfc9110#name-retry-after
enum RetryAfter {
    static func seconds(_ response: ServerResponse, at now: Date) -> TimeInterval? {
        guard let value = response.headers["retry-after"]?.trimmingCharacters(in: .whitespaces) else { return nil }
        if let seconds = TimeInterval(value), seconds.isFinite { return max(seconds, 0) }
        guard let date = date(value) else { return nil }
        // By the server's own clock if it tells it: the device's may be wrong by a year.
        let sent = response.headers["date"].flatMap { RetryAfter.date($0) } ?? now
        return max(date.timeIntervalSince(sent), 0)
    }

    private static func date(_ text: String) -> Date? {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(identifier: "GMT")
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss zzz"
        return formatter.date(from: text)
    }
}
