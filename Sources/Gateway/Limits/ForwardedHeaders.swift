/// What proxies wrote into a request, unparsed.
struct ForwardedHeaders: Equatable {
    /// `X-Forwarded-For`: each proxy appends the address that connected to it.
    var addresses: String?
    /// `X-Forwarded-Proto`.
    var scheme: String?
    /// `X-Forwarded-Host`.
    var host: String?
}
