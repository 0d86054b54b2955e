public import APIModel

extension JSON {
    public static func response(_ status: Int, body value: some Encodable) -> Response {
        Response(status: status, headers: [("Content-Type", "application/json")], body: encode(value))
    }
}
