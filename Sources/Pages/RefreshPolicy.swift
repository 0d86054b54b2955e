public import Domain

/// Which refreshes a page receives when it catches up.
///
/// A refresh is news, not a state: the page reloads and shows what its own server renders. Open pages get it. A page
/// that connects may be there because of the refresh, and could reload forever. So the answer depends on how the page
/// says what it has seen. A refresh that heals a gap follows the same rule.
public enum RefreshPolicy: Sendable, Hashable {
    /// The page does not say what it has seen: its server has just rendered it.
    case never
    /// The page's HTML says it, and may say the same after every reload. So each entry reloads the pages of one stream
    /// and one origin only once, whether they were open or missed it (`SentRefreshes`). The price: of two tabs with the
    /// same origin, the second is not reloaded if it was away when the first was reloaded.
    case once(Origin)
    /// The page's client keeps count of what arrives, and loses the count with the page. So anything newer has not
    /// arrived, and a refresh that reloaded the page is never sent to it again.
    case always

    /// The cursor or the time at which a page was rendered.
    public enum Origin: Sendable, Hashable {
        case cursor(Cursor)
        case time(Instant)
    }
}
