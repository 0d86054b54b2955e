import Testing

@testable import HTTP

@Suite struct FrameTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var opcode: Opcode
        var count: Int
        var head: [UInt8]
        var testDescription: String { "\(opcode) of \(count)" }
    }

    /// The lengths at which the form changes (RFC 6455 §5.2).
    @Test(arguments: [
        Case(opcode: .text, count: 0, head: [0x81, 0]),
        Case(opcode: .binary, count: 1, head: [0x82, 1]),
        Case(opcode: .ping, count: 125, head: [0x89, 125]),
        Case(opcode: .pong, count: 4, head: [0x8A, 4]),
        Case(opcode: .close, count: 2, head: [0x88, 2]),
        Case(opcode: .text, count: 126, head: [0x81, 126, 0, 126]),
        Case(opcode: .text, count: 256, head: [0x81, 126, 1, 0]),
        Case(opcode: .text, count: 65_535, head: [0x81, 126, 255, 255]),
        Case(opcode: .text, count: 65_536, head: [0x81, 127, 0, 0, 0, 0, 0, 1, 0, 0]),
        Case(opcode: .binary, count: 0x01_02_03, head: [0x82, 127, 0, 0, 0, 0, 0, 1, 2, 3]),
    ])
    func isEncoded(_ one: Case) {
        let payload = (0..<one.count).map { UInt8($0 & 255) }
        #expect(Frame.encode(one.opcode, payload: payload) == one.head + payload)
        var head: [UInt8] = [7]
        Frame.appendHead(one.opcode, count: one.count, to: &head)
        #expect(head == [7] + one.head)
    }

    @Test func longestLength() {
        var head: [UInt8] = []
        Frame.appendHead(.binary, count: .max, to: &head)
        #expect(head == [0x82, 127, 127, 255, 255, 255, 255, 255, 255, 255])
    }

    /// RFC 6455 §5.7.
    @Test func isAsInTheRFC() {
        #expect(Frame.encode(.text, payload: Array("Hello".utf8)) == [0x81, 0x05, 0x48, 0x65, 0x6C, 0x6C, 0x6F])
        #expect(Frame.encode(.ping, payload: Array("Hello".utf8)) == [0x89, 0x05, 0x48, 0x65, 0x6C, 0x6C, 0x6F])
    }

    @Test func closesWithItsCode() {
        #expect(Frame.close(.normal) == [0x88, 2, 0x03, 0xE8])
        #expect(Frame.close(.tryAgainLater) == [0x88, 2, 0x03, 0xF5])
    }

    /// RFC 6455 §7.4 and the registry: 1004 is reserved, 1005, 1006 and 1015 never stand in a frame.
    @Test func knowsTheCodesThatMayBeSent() {
        let codes = (0...UInt16.max).filter(CloseCode.mayBeSent)
        #expect(codes == [1000, 1001, 1002, 1003] + Array(1007...1014) + Array(3000...4999))
    }
}
