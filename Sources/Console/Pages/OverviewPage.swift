internal import Pages

/// `/console`: where a search begins.
struct OverviewPage: ConsolePage {
    func show(_ visit: Visit) throws(ConsoleError) -> Response {
        visit.page("Overview", visit.render("overview"))
    }
}
