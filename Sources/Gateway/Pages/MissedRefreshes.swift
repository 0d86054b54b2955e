public import Domain

/// Which refreshes a page is sent of those that it missed.
///
/// A refresh is news, not a state: the page loads itself again and shows what its own server renders. Pages that are open
/// get it. One that comes may be there because of it, and would load itself for ever, so it depends on how the page says
/// what it has seen. A refresh that heals a gap follows the same rule.
public enum MissedRefreshes: Sendable, Hashable {
    /// It says nothing: its server has just rendered it.
    case never
    /// Its HTML says it, and may say the same after every reload. So each entry reloads the pages of one stream and one
    /// such origin once, whether they were open or missed it (`SentRefreshes`). The price: of two tabs with the same one,
    /// the second is not reloaded if it was away while the first was.
    case once(Origin)
    /// Its client counts what arrives, and forgets with the page: what is newer has not arrived, and what reloaded the
    /// page never comes back here.
    case always

    /// What a page was rendered with.
    public enum Origin: Sendable, Hashable {
        case cursor(Cursor)
        case time(Instant)
    }
}
