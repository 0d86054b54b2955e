import Support
import Testing

@Suite struct NearestNameTests {
    @Test(arguments: [
        ("tial", "tail"), ("tailor", "tail"), ("SERVE", "serve"), ("publsh", "publish"), ("oder", "order"),
    ]) func findsASlip(_ word: String, name: String) {
        #expect(nearest(to: word, among: ["serve", "tail", "publish", "order"]) == name)
    }

    @Test(arguments: ["", "x", "zzzzzzz"]) func findsNothingFarAway(_ word: String) {
        #expect(nearest(to: word, among: ["serve", "tail", "publish"]) == nil)
    }

    @Test(arguments: [("", "", 0), ("", "ab", 2), ("ab", "ba", 1), ("kitten", "sitting", 3)])
    func countsEdits(_ left: String, right: String, distance: Int) {
        #expect(editDistance(left, to: right) == distance)
    }
}
