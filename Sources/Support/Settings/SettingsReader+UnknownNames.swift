internal import Domain

extension SettingsReader {
    /// Rejects every variable that has our prefix but is not a setting: a misspelled name would otherwise silently
    /// leave the default in force. Call it after all settings have been read.
    public mutating func rejectUnknown() {
        let prefix = "PAYCAST_"
        let names = known.union([clientAddressVariable, copySourceVariable, copyTargetVariable])
        for name in environment.keys.sorted() where name.uppercased().hasPrefix(prefix) && !names.contains(name) {
            guard environment[name] != "" else { continue }
            // Compares without the prefix: most of our names share it, and some, such as PORT, have none.
            let bare = { (name: String) in name.hasPrefix(prefix) ? String(name.dropFirst(prefix.count)) : name }
            let meant = nearest(to: bare(name.uppercased()), among: names.map(bare).sorted())
            let hint = names.sorted().first { bare($0) == meant }.map { ". Did you mean \($0)?" }
            let todo = "; paycast serve --help names them, and Settings.md of the documentation explains them"
            reject(name, because: "is not a setting\(hint ?? todo)")
        }
    }
}
