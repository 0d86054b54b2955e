import Domain

/// Ten people work at the console while as many events come as a busy app has: what its pages notice. The floor is the
/// same load with nobody at the console.
enum OpenConsoles: Benchmark {
    static let name = "consoles"
    private static let consoles = 10
    private static let pages = 1000
    private static let events = 30_000
    /// Events a second.
    private static let goal = 3000

    private struct Figures {
        var rate: Double
        /// Of the server for each event, in microseconds of CPU.
        var cost: Double
        /// Sorted milliseconds, as the others are.
        var swaps: [Double]
        var consolePages: [Double]
    }

    static func run(_ report: inout Report) throws {
        let most = try measure(consoles: 0, rate: goal).rate
        // A machine that cannot take as many gets what it can take steadily.
        let rate = most > 0.98 * Double(goal) ? goal : Int(most * 0.8 / 100) * 100
        // In turns: what one leaves to the disk is not to be the other's.
        let rounds = try (0..<Comparison.rounds).map { round in
            let first = try measure(consoles: round.isMultiple(of: 2) ? 0 : consoles, rate: rate)
            let second = try measure(consoles: round.isMultiple(of: 2) ? consoles : 0, rate: rate)
            return round.isMultiple(of: 2) ? (floor: first, value: second) : (floor: second, value: first)
        }
        let costs = rounds.map { (floor: $0.floor.cost, value: $0.value.cost) }
        let figure = "webhook to page at \(rate)/s, \(pages) pages and \(consoles) consoles open"
        let title = "\(figure); floor: no console"
        report.add(Row(figure: title, unit: "µs CPU each", rounds: costs, bound: .timesFloor(1.05)))
        for (name, share, limit) in [("p50", 0.5, 1.25), ("p99", 0.99, 1.25)] {
            let values = rounds.map { round in
                (floor: round.floor.swaps.percentile(share), value: round.value.swaps.percentile(share))
            }
            let title = "\(figure), \(name); floor: no console"
            report.add(Row(figure: title, unit: "ms", rounds: values, bound: .timesFloor(limit)))
            let all = values.map { "\(decimal($0.floor)) → \(decimal($0.value))" }.joined(separator: ", ")
            report.remark("Webhook to page without and with consoles, \(name) in ms of each round: \(all).")
        }
        let rates = rounds.map { (floor: $0.floor.rate, value: $0.value.rate) }
        report.add(Row(figure: "events sent meanwhile, of \(rate)", unit: "per second", rounds: rates))
        let loads = rounds.flatMap { $0.value.consolePages }.sorted()
        for (name, share) in [("p50", 0.5), ("p99", 0.99)] {
            report.add("console's pages meanwhile", "ms \(name)", loads.percentile(share))
        }
    }

    private static func measure(consoles: Int, rate: Int) throws -> Figures {
        try with(PaycastTarget.init(in:)) { target in
            let loop = LoadLoop()
            let people = try ConsolePeople(consoles, at: target, on: loop)
            let figures = ProcessFigures(id: target.process.id)
            var (first, last, before) = (UInt64.max, UInt64(0), 0.0)
            let swaps = try SwapLatency.latencies(from: target, to: target, on: loop, pages: pages, rate: rate) {
                try PurchaseLoad(events, of: .stripe, at: $0, publishers: $1)
            } meanwhile: { number, answer in
                last = nanoseconds()
                if number == 0 { (first, before) = (last, figures.processorTime) }
                try people.work(user: number / 2, answer: answer)
            }
            let loads = try people.finish()
            let seconds = Double(last - first) / 1e9
            let cost = (figures.processorTime - before) / Double(events)
            return Figures(rate: Double(events) / seconds, cost: cost, swaps: swaps.sorted(), consolePages: loads)
        }
    }
}

/// Each is logged in, follows the live list, and loads the overview, a user's page and an event's, one of them every 5/3 s.
private final class ConsolePeople {
    private static let pause = 5 * second / 3

    private let target: PaycastTarget
    private let publishers: Publishers
    private let cookies: [String]
    private let lists: Pages
    private var news: [Int]
    private var next: UInt64 = 0
    private var loaded = 0
    private var latencies: [Double] = []

    init(_ count: Int, at target: PaycastTarget, on loop: LoadLoop) throws(BenchmarkError) {
        self.target = target
        let publishers = Publishers(target, connections: count, on: loop)
        var cookies: [String] = []
        var sources: [String] = []
        for number in 0..<count {
            cookies.append(try target.logIn(publishers))
            // Pages with the same filter share a list; there are two of them.
            let path = number.isMultiple(of: 2) ? "/live" : "/live?provider=stripe"
            let page = try publishers.ask(target.console(path, cookie: cookies[number]))
            guard let source = page.between("<turbo-stream-source src=\"", "\"") else { throw .refused(page) }
            sources.append(source.replacing("&amp;", with: "&"))
        }
        self.publishers = publishers
        self.cookies = cookies
        news = Array(repeating: 0, count: count)
        lists = Pages(target, over: .eventStream) { $0 }
        lists.address = { [cookies, sources] in (sources[$0], "Cookie: \(cookies[$0])\r\n") }
        lists.onBytes = { [unowned self] number, _ in if loaded > 0 { news[number] += 1 } }
        publishers.onAnswer = { [unowned self] in latencies.append(Double($0) / 1e6) }
        try lists.open(count, on: loop)
    }

    /// Loads the page whose turn it is. `answer` is the newest of a webhook.
    func work(user: Int, answer: String) throws(BenchmarkError) {
        guard !cookies.isEmpty, nanoseconds() >= next else { return }
        next = nanoseconds() + ConsolePeople.pause / UInt64(cookies.count)
        let event = answer.between(#""event":""#, "\"").map { "/events/\($0)" }
        let paths = ["", "/users/\(target.user(user))", event ?? "/attention"]
        let path = paths[loaded / cookies.count % paths.count]
        try publishers.send(target.console(path, cookie: cookies[loaded % cookies.count]))
        loaded += 1
    }

    /// Returns the milliseconds that each page took.
    func finish() throws(BenchmarkError) -> [Double] {
        try publishers.finish()
        guard lists.dead == 0, news.allSatisfy({ $0 > 10 }) else {
            throw .hole("a live list of the console was not told what came")
        }
        return latencies
    }
}
