internal import Assets
internal import HTTP
public import Pages

/// `GET /paycast.js`, `/paycast-native.js` and `/openapi.json`: the program's own files. They work even if the public
/// folder is the app's and lacks them.
public struct ShippedFile: Sendable {
    public static let script = ShippedFile("paycast.js", bytes: Assets.script)
    public static let nativeScript = ShippedFile("paycast-native.js", bytes: Assets.nativeScript)
    /// The requests and answers of every route, as OpenAPI 3.1 (https://spec.openapis.org/oas/v3.1.1.html).
    public static let openAPI = ShippedFile("openapi.json", bytes: Assets.openAPI)

    private let bytes: [UInt8]
    private let tag: String
    private let headers: [(name: String, value: String)]

    private init(_ name: String, bytes: [UInt8]) {
        self.bytes = bytes
        tag = EntityTag.of(bytes)
        headers = FileHeaders.of(name, tag: tag, isForAnyOrigin: true)
    }

    public func answer(_ request: Request) -> Response {
        guard !EntityTag.isKnown(tag, ifNoneMatch: request.head[.ifNoneMatch]) else {
            return Response(status: 304, headers: headers)
        }
        return Response(status: 200, headers: headers, body: bytes)
    }
}
