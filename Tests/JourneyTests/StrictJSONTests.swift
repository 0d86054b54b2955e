import Encoding
import Foundation
import Simulator
import TestSupport
import Testing

/// Every door that takes JSON takes the same JSON: UTF-8, one value, no member twice, each of its own type.
@Suite(.blocking) struct StrictJSONTests {
    /// `good` is an object that the door takes, as far as its JSON goes; `member` is one of its texts.
    struct Door: Sendable, CustomTestStringConvertible {
        var path: String
        var good: String
        var member: String
        var testDescription: String { path }
    }

    struct Flaw: Sendable {
        var name: String
        var code = "invalid_json"
        var body: @Sendable (Door) -> [UInt8]
    }

    private static let doors = [
        Door(path: "/orders", good: #""user":"1","product":"p""#, member: "user"),
        Door(path: "/orders", good: #""product":"p","user":"1","provider":null"#, member: "product"),
        Door(path: "/recoveries", good: #""provider":"apple""#, member: "provider"),
        Door(path: "/replays", good: #""mode":"dry_run""#, member: "mode"),
        Door(path: "/replays", good: #""mode":"dry_run","user":"1""#, member: "user"),
        Door(path: "/transactions/apple", good: #""signedTransaction":"a.b.c""#, member: "signedTransaction"),
        Door(path: "/transactions/google", good: #""purchaseToken":"t""#, member: "purchaseToken"),
        Door(path: "/receipts/apple", good: #""receipt":"AAAA""#, member: "receipt"),
        Door(path: "/broadcasts", good: #""stream":"s","action":"refresh","transient":true"#, member: "stream"),
    ]

    private static let flaws = [
        Flaw(name: "a member twice", code: "duplicate_member") { text("{\($0.good),\"\($0.member)\":\"2\"}") },
        Flaw(name: "a member twice, one escaped", code: "duplicate_member") { door in
            let first = door.member.utf8.first.map { "\\u00" + String($0, radix: 16) } ?? ""
            return text("{\(door.good),\"\(first)\(door.member.dropFirst())\":\"2\"}")
        },
        Flaw(name: "a member twice, deep inside", code: "duplicate_member") { door in
            text("{\(door.good),\"more\":[{\"a\":1,\"a\":2}]}")
        },
        Flaw(name: "nine unknown members, one twice", code: "duplicate_member") { door in
            text("{\(door.good),\((1...9).map { "\"m\($0)\":\($0)," }.joined())\"m5\":0}")
        },
        Flaw(name: "text behind it") { text("{\($0.good)} {}") },
        Flaw(name: "nothing") { _ in [] },
        Flaw(name: "a text") { text("\"\($0.member)\"") },
        Flaw(name: "cut short") { text("{\($0.good)") },
        Flaw(name: "a comma too many") { text("{\($0.good),}") },
        Flaw(name: "a comment") { text("{\($0.good)/**/}") },
        Flaw(name: "nested deeper than anything") { door in
            text("{\(door.good),\"a\":\(String(repeating: "[", count: 40))\(String(repeating: "]", count: 40))}")
        },
        Flaw(name: "a byte order mark") { [0xEF, 0xBB, 0xBF] + text("{\($0.good)}") },
        Flaw(name: "UTF-16") { Array("{\($0.good)}".data(using: .utf16BigEndian) ?? Data()) },
        Flaw(name: "UTF-16 the other way") { Array("{\($0.good)}".data(using: .utf16LittleEndian) ?? Data()) },
        Flaw(name: "another type") { door in
            text("{\(door.good)}".replacing(/"(\w+)":"[^"]*"/) { "\"\($0.1)\":{}" })
        },
    ]

    @Test func everyFlawHasItsAnswerAtEveryDoor() throws {
        let app = try AppPost(["PAYCAST_GOOGLE_PACKAGE": "com.example.paycast"])
        for door in Self.doors {
            let good = try post(Self.text("{\(door.good),\"unknown\":{\"a\":[1,null]}}"), to: door, on: app)
            #expect(!good.body.contains("invalid_json"), "\(door.path): \(good.body)")
            for flaw in Self.flaws {
                let answer = try post(flaw.body(door), to: door, on: app)
                #expect(answer.status == 400, "\(door.path), \(flaw.name): \(answer.body)")
                #expect(answer["error"] == flaw.code, "\(door.path), \(flaw.name): \(answer.body)")
                #expect(answer["message"]?.hasSuffix(".") == true)
            }
        }
    }

    private static func text(_ text: String) -> [UInt8] { Array(text.utf8) }

    private func post(_ body: [UInt8], to door: Door, on app: AppPost) throws -> AppPost.Answer {
        let socket = try app.server.connect()
        let head =
            "POST \(door.path) HTTP/1.1\r\nHost: 127.0.0.1:\(app.server.port)\r\nConnection: close\r\n"
            + "Authorization: Bearer \(app.workspace.apiKey)\r\nContent-Length: \(body.count)\r\n\r\n"
        try socket.send(Array(head.utf8) + body)
        let answer = String(decoding: try socket.readToEnd(), as: UTF8.self)
        let text = answer.firstRange(of: "\r\n\r\n").map { String(answer[$0.upperBound...]) } ?? ""
        return AppPost.Answer(status: Int(answer.dropFirst(9).prefix(3)) ?? 0, head: answer, body: text)
    }
}
