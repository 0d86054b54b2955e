import Domain
import Stores
import Support

/// All help texts, 80 columns wide: the files of `Sources/CAssets/help`, by the command's name.
enum Help {
    static let commands: [String: String] = Assets.help.reduce(into: [:]) { texts, file in
        let text = String(decoding: file.value, as: UTF8.self)
            .replacing("{{stores}}", with: stores)
            .replacing("{{server and key}}", with: server)
        // A print ends the last line.
        texts[String(file.key.prefix { $0 != "." })] = String(text.dropLast())
    }

    static let overview = commands["help"] ?? ""

    /// `apple, google … or purchasekit`.
    private static let stores = {
        let names = Stores.sellers.map { $0.provider.rawValue }
        return "\(names.dropLast().joined(separator: ", ")) or \(names.last ?? "")"
    }()

    /// The options of each command that asks a server.
    private static let server = """
          --server URL          PAYCAST_SERVER, else .paycast/address, else where the
                                server of DATABASE_URL, PORT and PAYCAST_BIND listens
          --key KEY             PAYCAST_API_KEY or PAYCAST_API_KEY_FILE, else
                                .paycast/api.key
        """
}
