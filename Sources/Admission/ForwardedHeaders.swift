/// What proxies wrote into a request, unparsed.
public struct ForwardedHeaders: Equatable, Sendable {
    /// `X-Forwarded-For`: each proxy appends the address that connected to it.
    public var addresses: String?
    /// `X-Forwarded-Proto`.
    public var scheme: String?
    /// `X-Forwarded-Host`.
    public var host: String?

    public init(addresses: String?, scheme: String?, host: String?) {
        self.addresses = addresses
        self.scheme = scheme
        self.host = host
    }
}
