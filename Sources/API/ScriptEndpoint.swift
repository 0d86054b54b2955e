internal import Assets
internal import Gateway
internal import HTTP1

/// `GET /paycast.js`: the program's own, also where the public folder is the app's and has no such file.
enum ScriptEndpoint {
    private static let tag = FileTags.tag(of: Assets.script)

    static func answer(_ request: Request) -> Response {
        let headers = FileHeaders.of("paycast.js", tag: tag)
        guard !FileHeaders.isCurrent(tag, request.head[.ifNoneMatch]) else {
            return Response(status: 304, headers: headers)
        }
        return Response(status: 200, headers: headers, body: Assets.script)
    }
}
