import Testing

@testable import HTTP2

@Suite struct ClientHelloTests {}
