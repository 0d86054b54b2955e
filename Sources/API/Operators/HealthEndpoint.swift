import APIModel
import Domain
import HTTP
import Pages
import Support

/// The routes for operators: `GET /up`, `/ready` and `/metrics`.
struct HealthEndpoint {
    static let up = Response(status: 200, contentType: "text/plain; charset=utf-8", body: "up\n")

    let services: Services

    func ready() -> Answer {
        .later { [ask = services.readiness] reply in
            ask { readiness in reply.send(JSON.response(readiness.ready ? 200 : 503, body: readiness)) }
        }
    }

    /// On a worker: counting 50,000 open descriptors takes longer than a loop may stand still. When too much waits for
    /// the workers, an operator needs the numbers all the more.
    func metrics() -> Answer {
        .later { [workers = services.workers, metrics = services.metrics] reply in
            let answer: WorkerPool.Task = {
                reply.send(
                    Response(status: 200, contentType: "text/plain; version=0.0.4; charset=utf-8", body: metrics.page())
                )
            }
            if !workers.submit(answer) { answer() }
            return true
        }
    }
}
