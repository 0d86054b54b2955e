public import Crypto

/// A service account's key file, as Google's console provides it.
public struct GoogleCredentials: Sendable {
    let account: String
    let keyID: String?
    let key: RSAPrivateKey
    /// The URL that grants access tokens.
    let tokenAddress: String

    public init(account: String, keyID: String?, key: RSAPrivateKey, tokenAddress: String) {
        self.account = account
        self.keyID = keyID
        self.key = key
        self.tokenAddress = tokenAddress
    }

    /// Returns nil when `json` is not a service account's key file.
    public init?(json: String) {
        guard let file = JSONBody.decode(File.self, from: Array(json.utf8)), file.type == "service_account",
            let key = try? RSAPrivateKey(pem: file.privateKey)
        else { return nil }
        let address = file.tokenURI ?? "https://oauth2.googleapis.com/token"
        self.init(account: file.clientEmail, keyID: file.privateKeyID, key: key, tokenAddress: address)
    }

    private struct File: Decodable {
        var type: String
        var clientEmail: String
        var privateKey: String
        var privateKeyID: String?
        var tokenURI: String?

        enum CodingKeys: String, CodingKey {
            case type
            case clientEmail = "client_email"
            case privateKey = "private_key"
            case privateKeyID = "private_key_id"
            case tokenURI = "token_uri"
        }
    }
}
