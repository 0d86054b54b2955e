/// The head of an answer as HTTP/2 sends it (RFC 9113 §8.3.2). Names are in lower case (RFC 9113 §8.2.1), and no field concerns only one connection.
public struct ResponseFields: Equatable, Sendable {
    public struct Field: Equatable, Sendable {
        public var name: String
        public var value: String

        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    public var status: Int
    public var fields: [Field]

    public init(status: Int, fields: [Field] = []) {
        self.status = status
        self.fields = fields
    }
}
