/// The message to a page whose signed name has expired.
public enum NameExpiry {
    /// For a page that follows one stream.
    public static let refresh = TemplateRenderer.refresh

    /// For a cable subscription: Turbo's element subscribes again when the fresh page brings another name, morphed or
    /// not (https://github.com/hotwired/turbo-rails/blob/main/app/javascript/turbo/cable_stream_source_element.js).
    public static func message(for identifier: CableIdentifier) -> [UInt8] {
        CableMessage.head(identifier.literal) + CableMessage.tail(html: refresh)
    }
}
