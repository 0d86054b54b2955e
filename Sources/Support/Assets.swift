import CAssets

/// Files that the program carries in itself: those of `public/`, so that they are there whatever the public folder holds,
/// even if it does not exist, and texts that commands print. `Sources/CAssets/assets.c` lists them.
public enum Assets {
    /// Not of `public/`, where pages would find it: `Sources/CAssets/apple-roots.pem`, certificates that Apple publishes.
    public static let appleRoots = file("apple-roots.pem")

    /// `public/paycast.js`: what README tells pages to load.
    public static let script = file("paycast.js")

    /// `public/paycast-native.js`: what pages of Hotwire Native apps load.
    public static let nativeScript = file("paycast-native.js")

    /// `public/openapi.json`: what every route takes and answers.
    public static let openAPI = file("openapi.json")

    /// `public/demo/`, by their names there.
    public static let demo = folder("demo/")

    /// `public/console/`, by their names there.
    public static let console = folder("console/")

    /// `public/fragments/`, by their names there.
    public static let fragments = folder("fragments/")

    /// Prometheus' alerting rules, with comments of our own.
    public static let alerts = file("alarms/alerts.yml")

    /// A Grafana dashboard, as its JSON model has it
    /// (https://grafana.com/docs/grafana/latest/dashboards/build-dashboards/view-dashboard-json-model/).
    public static let dashboard = file("alarms/dashboard.json")

    /// `Sources/CAssets/body-dictionary.txt`, without the end of its last line: what bodies are likely to say, as Zstandard's
    /// dictionary (RFC 8878, §5). A body of 1 KB is too short to repeat itself, and then becomes half as large. A prefix
    /// without tables of its own; what is likeliest stands last, where it is nearest.
    ///
    /// It is as much a part of a ledger as its tables: **no byte of it may ever change**, since what was packed with it can be
    /// read with nothing else. A better one would be another form of stored bodies beside this one.
    public static let bodyDictionary = file("body-dictionary.txt").dropLast()

    private static let all: [String: [UInt8]] = UnsafeBufferPointer(start: paycast_assets, count: paycast_asset_count)
        .reduce(into: [:]) { found, asset in
            found[String(cString: asset.path)] = Array(String(cString: asset.text).utf8)
        }

    private static func file(_ path: String) -> [UInt8] {
        guard let bytes = all[path] else { preconditionFailure("assets.c lists \(path)") }
        return bytes
    }

    private static func folder(_ prefix: String) -> [String: [UInt8]] {
        all.reduce(into: [:]) { found, asset in
            guard asset.key.hasPrefix(prefix) else { return }
            found[String(asset.key.dropFirst(prefix.count))] = asset.value
        }
    }
}
