import Testing

@testable import Simulator

@Suite struct GoogleVoidListTests {
    private func list() -> GoogleVoidList {
        var list = GoogleVoidList()
        for number in 1...5 { _ = list.add(Array(#"{"voidedTimeMillis":"\#(number)"}"#.utf8)) }
        return list
    }

    private func page(_ parameters: [String: String]) -> String? {
        list().page { parameters[$0] }.map { String(decoding: $0, as: UTF8.self) }
    }

    private static func entries(_ numbers: ClosedRange<Int>, next: Int? = nil) -> String {
        let entries = numbers.map { #"{"voidedTimeMillis":"\#($0)"}"# }.joined(separator: ",")
        let more = next.map { #","tokenPagination":{"nextPageToken":"\#($0)"}"# } ?? ""
        return #"{"voidedPurchases":[\#(entries)]\#(more)}"#
    }

    struct Question: Sendable {
        var parameters: [String: String]
        /// Nil: there is no such page.
        var answer: String?
    }

    @Test(arguments: [
        Question(parameters: [:], answer: entries(1...5)),
        Question(parameters: ["startTime": "2", "endTime": "4"], answer: entries(2...4)),
        Question(parameters: ["maxResults": "2"], answer: entries(1...2, next: 2)),
        Question(parameters: ["maxResults": "2", "token": "2"], answer: entries(3...4, next: 4)),
        Question(parameters: ["maxResults": "2", "token": "4"], answer: entries(5...5)),
        Question(parameters: ["token": "99"], answer: #"{"voidedPurchases":[]}"#),
        Question(parameters: ["token": "-1"], answer: nil), Question(parameters: ["token": "x"], answer: nil),
        Question(parameters: ["maxResults": "0"], answer: nil),
        Question(parameters: ["startTime": "4", "endTime": "2"], answer: nil),
    ]) func pageByPage(_ question: Question) {
        #expect(page(question.parameters) == question.answer)
    }

    @Test(arguments: ["", "[]", "{}", #"{"voidedTimeMillis":"soon"}"#]) func whatIsNoEntryIsRefused(_ json: String) {
        var list = GoogleVoidList()
        let isTaken = list.add(Array(json.utf8))
        #expect(!isTaken && list.count == 0)
    }
}
