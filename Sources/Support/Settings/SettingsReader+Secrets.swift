/// Secrets come from a variable, or from the file that another one names.
extension SettingsReader {
    public mutating func secret(_ variable: String) -> Secret? {
        secretSettings.append(SecretSetting(name: variable, isList: false))
        guard let given = givenSecret(variable) else { return nil }
        rejectIfShort(given.value, name: given.name, place: "")
        return Secret(given.value)
    }

    public mutating func secrets(_ variable: String) -> [Secret] {
        secretSettings.append(SecretSetting(name: variable, isList: true))
        guard let given = givenSecret(variable) else { return [] }
        let items = commaList(given.value)
        if items.isEmpty { reject(given.name, because: "is set, but names nothing") }
        for (index, item) in items.enumerated() {
            rejectIfShort(item, name: given.name, place: items.count == 1 ? "" : "item \(index + 1) of the list ")
        }
        return items.map { Secret($0) }
    }

    /// In development, a key may have any length.
    private mutating func rejectIfShort(_ value: String, name: String, place: String) {
        let shortest = Secret.shortest
        guard !isDevelopment, value.count < shortest else { return }
        reject(
            name,
            because:
                "\(place)has fewer than \(shortest) characters, so it can be guessed; use the output of openssl rand -hex 32"
        )
    }

    /// A secret from its variable, or else from the file that the variable with the suffix `_FILE` names: a file can
    /// change while the server runs. The path is never shown: it may be the secret itself, put into the wrong variable.
    private mutating func givenSecret(_ variable: String) -> Given? {
        let direct = given(variable)
        guard let file = given(fileVariable(of: variable)) else { return direct }
        if direct != nil { reject(file.name, because: "is set beside \(variable): remove one of them") }
        guard let text = contents(of: file.value) else {
            reject(file.name, because: "must name a file of 1 byte to 64 KiB that can be read")
            return nil
        }
        let value = trimmed(text)
        guard !value.isEmpty else {
            reject(file.name, because: "names a file that is blank: write the secret into it")
            return nil
        }
        return Given(name: file.name, value: value)
    }
}
