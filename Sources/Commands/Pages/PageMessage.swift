internal import Domain

/// What a page has received at once.
struct PageMessage: Followed {
    static let fields = ["cursor", "action", "target", "text"]

    let html: String
    let cursor: Cursor?
    /// At least one.
    let elements: [StreamElement]

    init(html: String, cursor: String?) {
        self.html = html
        self.cursor = cursor.flatMap { Cursor($0) }
        let found = StreamElement.all(in: html)
        elements = found.isEmpty ? [StreamElement(html: html)] : found
    }

    /// `text` has to occur; the others have to be equal.
    func has(_ value: String, for field: String) -> Bool {
        switch field {
        case "cursor": cursor?.description == value
        case "action": elements.contains { $0.action == value }
        case "target": elements.contains { $0.target == value || $0.targets == value }
        default: html.contains(value)
        }
    }
}
