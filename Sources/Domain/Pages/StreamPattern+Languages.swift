extension StreamPattern {
    /// Fills in the user's language in the fragments of a user's stream; every other stream has none. Asks once for
    /// consecutive fragments of one stream.
    public func written<Failure: Error>(
        _ fragments: [Fragment],
        language: (UserID) throws(Failure) -> LanguageTag?
    ) throws(Failure) -> [Fragment] {
        var written = fragments
        var asked: (stream: StreamName, language: LanguageTag?)?
        for index in written.indices where written[index].hasNoLanguage {
            let stream = written[index].stream
            if asked?.stream != stream {
                let user = user(of: stream)
                asked = (stream, try user.map { user throws(Failure) in try language(user) } ?? nil)
            }
            written[index] = written[index].written(in: asked?.language)
        }
        return written
    }
}
