import Encoding
import Testing

/// What is an object to everybody who reads it.
@Suite struct JSONStrictTests {
    struct Case: Sendable {
        var json: String
        var error: JSONObjectError?
    }

    @Test(arguments: [
        Case(json: "{}", error: nil), Case(json: #" {"a":1,"b":[{"a":1},{"a":1}]} "#, error: nil),
        Case(json: #"{"a":1,"a":1}"#, error: .repeatedMember),
        Case(json: #"{"a":1,"\u0061":1}"#, error: .repeatedMember),
        Case(json: #"{"b":[{"c":{"a":1,"a":2}}]}"#, error: .repeatedMember),
        Case(json: #"{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6,"g":7,"h":8,"i":9,"a":0}"#, error: .repeatedMember),
        Case(json: #"{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6,"g":7,"h":8,"i":9}"#, error: nil),
        // Unicode calls the two alike; no parser does.
        Case(json: "{\"\u{E9}\":1,\"e\u{301}\":2}", error: nil),
        Case(json: "{\"\u{E9}\":1,\"\\u00e9\":2}", error: .repeatedMember),
        Case(json: #"{"\ud800":1}"#, error: .repeatedMember), Case(json: "[]", error: .notAnObject),
        Case(json: "", error: .notAnObject), Case(json: "{} {}", error: .notAnObject),
        Case(json: "\u{FEFF}{}", error: .notAnObject),
    ]) func objectsAreReadStrictly(_ given: Case) {
        do throws(JSONObjectError) {
            _ = try JSONNode.object(strictly: Array(given.json.utf8))
            #expect(given.error == nil, "\(given.json)")
        } catch {
            #expect(error == given.error, "\(given.json)")
        }
    }

    @Test func whatIsNoUTF8IsNone() {
        #expect(throws: JSONObjectError.notAnObject) {
            try JSONNode.object(strictly: [0x7B, 0x22, 0xFF, 0x22, 0x3A, 0x31, 0x7D])
        }
    }

    /// As the compiler writes it, and as an attacker does.
    @Test func aMemberIsFoundByItsBytes() {
        #expect(JSONNode(#"{"\u212aey":1}"#)?["Key"] == nil)
        #expect(JSONNode(#"{"\u004bey":1}"#)?["Key"]?.integer == 1)
    }
}
