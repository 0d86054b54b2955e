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

    /// The help of each command, by the command's name with `.txt`.
    public static let help = folder("help/")

    /// Prometheus' alerting rules, with comments of our own.
    public static let alerts = file("alarms/alerts.yml")

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
