import APIModel
import HTTP
import Pages
import Support

/// `GET /history?range=hour|day`: what this node has counted, by minutes or by quarters of an hour.
struct HistoryEndpoint {
    let services: Services

    func answer(_ request: Request) throws(RefusedBody) -> Answer {
        guard let range = History.Range(rawValue: request.query["range"] ?? "hour") else {
            throw RefusedBody("invalid_range", message: "range must be hour or day.")
        }
        // On a worker, because the metrics are read.
        return .later { [services] reply in
            services.workers.submit {
                let answer = HistoryAnswer(
                    node: services.node,
                    range: range.rawValue,
                    step: range.step * 60,
                    steps: services.history.steps(of: range, now: services.clock.now())
                )
                reply.send(JSON.response(200, body: answer))
            }
        }
    }
}
