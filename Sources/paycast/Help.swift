import Domain
import Stores

/// All help texts, 80 columns wide.
enum Help {
    /// `apple, google … or purchasekit`.
    static let stores = {
        let names = Stores.sellers.map { $0.provider.rawValue }
        return "\(names.dropLast().joined(separator: ", ")) or \(names.last ?? "")"
    }()

    static let overview = """
        Paycast turns a store's payment webhook into a page change.

        Usage: paycast COMMAND [OPTIONS]

        Commands:
          serve      run the server
          demo       run a development server on a throw-away ledger
          tail       follow committed events and the fragments they caused
          trigger    deliver a locally signed store event to a development server
          replay     apply stored events again, or send pages their state again
          recover    fetch what a store sent while no server was listening
          grant      give a user a product for a time
          revoke     take a grant back
          export     print everything known about a user, as one JSON document
          erase      erase a user, so that nothing brings the user back
          migrate    bring a ledger's tables up to date, before the server runs
          copy       copy a ledger to another database or engine, and compare them
          backup     copy a ledger into one file, even while a server uses it
          restore    replace the ledger with a backup
          doctor     check a server's settings and say what to fix
          alerts     print Prometheus alert rules
          dashboard  print a Grafana dashboard
          hooks      show, test and repeat the webhooks to the app's backend
          publish    broadcast one fragment to a user or a stream
          sign       print a signed stream name
          order      create an order: the token that a purchase carries
          completions  print the completion script for bash, zsh or fish
          version    print the versions of this program and its libraries
          help       print the help of a command: paycast help tail

        Exit codes: 0 success, 1 failure, 64 incorrect command line.
        Quick start: paycast demo
        """

    static let commands: [String: String] = [
        "serve": serve, "demo": demo, "tail": tail, "trigger": trigger, "replay": replay, "recover": recover,
        "grant": grant, "revoke": revoke, "export": export, "erase": erase,
        "migrate": migrate, "copy": copy, "backup": backup, "restore": restore, "doctor": doctor, "alerts": alerts,
        "dashboard": dashboard, "hooks": hooks, "publish": publish, "sign": sign, "order": order,
        "completions": completions, "version": version, "help": overview,
    ]

    private static let serve = """
        Run the server until SIGTERM or SIGINT.

        Usage: paycast serve [OPTIONS]

        Prints “paycast listening on http://HOST:PORT” on stdout when it accepts
        connections, https with a certificate; everything else goes to stderr.

        SIGHUP reloads what comes from files: secrets (PAYCAST_API_KEY_FILE and so
        on), keys, the catalog, the certificate and the templates.

        Options (with their variable and default):
          --port PORT           PORT, 8080; 0 is any free port
          --bind ADDRESS        PAYCAST_BIND, 127.0.0.1
          --database URL        DATABASE_URL, sqlite:paycast.db
          --public FOLDER       PAYCAST_PUBLIC, public; pages and templates
          --loops NUMBER        PAYCAST_LOOPS, number of cores; 1 to 64
          --tls-cert FILE       PAYCAST_TLS_CERT; PEM, the whole chain: serve HTTPS
          --tls-key FILE        PAYCAST_TLS_KEY; PEM
          --dev                 create .paycast/ with a throw-away certificate authority
                                and keys, trust it, and serve the demo page
          --log-format FORMAT   PAYCAST_LOG_FORMAT, text; or json
          --log-level LEVEL     PAYCAST_LOG_LEVEL, info; debug, warning or error
        """

    private static let demo = """
        Run “serve --dev” on a ledger in a temporary folder, removed at the end.

        Usage: paycast demo [OPTIONS]

        Options are those of serve, without --database and --dev:
          --port PORT           PORT, 8080; 0 is any free port
          --bind ADDRESS        PAYCAST_BIND, 127.0.0.1
          --public FOLDER       PAYCAST_PUBLIC, public; pages and templates
          --loops NUMBER        PAYCAST_LOOPS, number of cores; 1 to 64
          --log-format FORMAT   PAYCAST_LOG_FORMAT, text; or json
          --log-level LEVEL     PAYCAST_LOG_LEVEL, info; debug, warning or error
        """

    private static let tail = """
        Follow committed events and the fragments they caused.

        Usage: paycast tail [OPTIONS]
               paycast tail --audit [OPTIONS]
               paycast tail --stream NAME|--user USER --page|--name SIGNED [OPTIONS]

        Prints one line per event, and continues after the last one when the connection
        or the server comes back. Messages about the connection go to stderr.

        With --stream, --page or --name it follows one stream as an open page does, and
        prints what arrives: time, cursor, action, target, size and the first words.

        Options:
          --json                one line of JSON per event, as the server sent it
          --user USER           only events of this user; this option and the next four
                                may be repeated to match any of several values
          --provider NAME       only of this store: apple, google, stripe …
          --type TYPE           only of this type, or TYPE/SUBTYPE
          --outcome WORD        only with this outcome: applied, duplicate, stale,
                                ignored, unclaimed, quarantined
          --environment WORD    only of Production, of Sandbox or of Xcode
          --since WHEN          begin after this cursor, 1h ago, at an instant or a
                                date, or at the “start”; without it, begin now
          --until KEY=VALUE     exit 0 after the first event shown that has this
                                value; if repeated, all of them must match
          --limit NUMBER        exit 0 after this many events; 1 when --until is given
                                and no event matched
          --timeout SECONDS     exit 1 if it has not finished by then

        With --audit it follows who did what to users: grants, erasures, replays … It
        takes --user, --since (an entry's id too), --limit, --timeout and --json, and:
          --audit               who did what to users, instead of events
          --actor NAME          only what this key did, or “cli”

        A page's stream takes --since (a cursor, or “start”), --until, --limit, --timeout
        and --json as well, and:
          --stream NAME         this stream; the name is signed with the server's key, from
                                PAYCAST_STREAM_KEYS, SECRET_KEY_BASE or .paycast/
          --page                the stream of the page of --user, as the server signs it
          --name SIGNED         a signed name, as a page has it in its source; needs no key
          --over KIND           websocket (default), cable (any Action Cable server), sse
          --url URL             connect where pages do: wss://pay.example.com
          --ca FILE             trust only this authority (PEM)
          --html                the whole fragment after each line
        \(remote)

        Example: paycast tail --user 42 --until type=EXPIRED --timeout 60
                 paycast tail --user 42 --page --url wss://pay.example.com
        """

    private static let trigger = """
        Deliver a locally signed store event to a development server.

        Usage: paycast trigger STORE TYPE[/SUBTYPE] [OPTIONS]
               paycast trigger STORE --scenario FILE [OPTIONS]
               paycast trigger STORE --list

        STORE is \(stores). Instead of a
        type, name a step that the store has: initial, renew, grace, retry, recover,
        cancel, resume, expire, refund, reversed, pause, upgrade, downgrade.
        Prints the outcome, the event's id and its cursor; exits 1 when the server
        refuses it, or when something expected does not arrive. Needs the server's
        .paycast/. The answer to Google has no outcome: it is read from the feed, or
        printed as “unknown”.

        Options:
          --user USER           who pays
          --order UUID          the order that the purchase carries; without it, one is
                                created for the user
          --product PRODUCT     what is bought
          --kind KIND           what kind of product: subscription (default),
                                non_renewing, non_consumable, consumable
          --environment WORD    Sandbox (default) or Production
          --bundle ID           the app's id at the store: bundle id, package …
          --expect NAME         wait until the user's page receives this fragment after
                                the last event: success, paywall:success …;
                                may be repeated
          --expect-text TEXT    … or markup with this text in it
          --expect-hook         … and until every address of the app's backend has
                                accepted the user's newest state
          --timeout SECONDS     how long to wait for it, 10
          --json                the server's answer as JSON
          --list                print the store's events, and deliver nothing
          --force               send a type even if the store does not document it

        Deliberate faults:
          --duplicate NUMBER    deliver it this many times; all but the first must be
                                answered “duplicate”
          --delay SECONDS       deliver it this long after it was signed
          --tamper              change a byte after signing; exit 1 if it is accepted
          --stale               deliver the store's previous event after it
          --lose                deliver nothing: only the store's history has it
          --shuffle [SEED]      deliver a scenario's events in another order. Checks
                                that no late event moves a page back (not with --delay:
                                time changes states, too), and in the end what the last
                                step expects. What earlier steps expect is not checked:
                                it holds only in the original order.

        Scenarios:
          --scenario FILE       a file, “-” for stdin, or one of life, lapse, recovery.
                                One step per line, or several with → between them:
                                  initial expect success
                                  +31d DID_RENEW         # this much later
                                  grace expect warn_billing outcome applied
                                A step may be followed by product P, duplicate N,
                                delay 5m, tamper, stale or lose as well. Moves the
                                server's clock.
        \(remote)

        Example: paycast trigger apple SUBSCRIBED/INITIAL_BUY --user 42
        """

    private static let replay = """
        Rebuild contracts from all of their stored events, and send pages what changed.
        Use it after an update that understands the stores' events better.

        Usage: paycast replay (--event ID | --user USER | --since CURSOR) [OPTIONS]

        Prints what changed, how many events were read, and which were skipped because
        they can no longer be verified: their contracts keep what those events said.
        Orders, claims and transfers stay. Exits 1 when there was no such event, and
        when a contract was left unchanged because its store kept sending events.

        Options:
          --event ID            this event, by the store's id; may be repeated
          --user USER           the events of this user's purchases
          --since CURSOR        events after this cursor, or all from the “start”
          --until CURSOR        events up to this cursor
          --dry-run             change nothing, print what would change
          --broadcast           change nothing, send the pages their state again
          --json                the server's answers as lines of JSON
        \(remote)

        Example: paycast replay --user 42 --dry-run
        """

    private static let recover = """
        Fetch what a store sent while no server was listening, and commit it.

        Usage: paycast recover apple|google [OPTIONS]

        Apple keeps all notifications for 180 days, Google a list of voided purchases
        for 30. Prints how many were found, how many of them were new, and their
        outcomes; exits 1 if something could not be fetched. The server needs the
        store's API key; it also does this by itself at start and every hour.

        Options:
          --since INSTANT       an instant, a date, or how long ago: 7d, 12h; without
                                it, since the last success
          --json                the server's answer as JSON
        \(remote)

        Example: paycast recover apple --since 7d
        """

    private static let doctor = """
        Check a server and its environment, and say what is wrong and how to fix it.

        Usage: paycast doctor [OPTIONS]

        Run it where the server runs, with the same environment. Prints one
        line per check, “ok”, “warn” or “FAIL”; exits 1 when something fails. Never
        prints a secret. Asks the stores' APIs whether they accept the keys, and Apple
        for a test notification. In the folder of a running “demo” or “serve --dev” it
        checks that server, whose stand-ins answer for the stores.

        Options:
          --dev                 check the settings as “serve --dev” does; implied where
                                .paycast/address names the server
          --public URL          only this: open a page of each kind (events over HTTP/1.1
                                and HTTP/2, WebSocket, Action Cable) through the public
                                address, publish something to it, and say what fails and
                                which line of the proxy's configuration is missing
          --patient SECONDS     … and leave the pages alone that long: a proxy may cut them
          --origin ORIGIN       … as pages of this site, https://shop.example.com
          --ca FILE             … and trust only this authority (PEM)
          --send                also let the server send its test message to each address
                                of the app's backend (PAYCAST_HOOK_URLS)
          --json                an array of {level, what, detail}
        \(remote)

        Example: paycast doctor --server https://pay.example.com
                 paycast doctor --public https://pay.example.com --patient 75
        """

    private static let publish = """
        Broadcast one fragment to a user or a stream, and print its cursor.

        Usage: paycast publish (--user USER | --stream NAME) --html MARKUP
               paycast publish (--user USER | --stream NAME) --template NAME
               paycast publish (--user USER | --stream NAME) --action ACTION
                               --target ID (--html HTML | --template NAME)

        Options:
          --user USER           the user's own stream
          --stream NAME         any stream
          --html HTML           complete <turbo-stream> elements; with --action, what
                                goes inside; “-” reads it from stdin
          --action ACTION       replace, update, append, remove, refresh …; a template
                                without one replaces
          --target ID           the id of the element to change; that of the template's
                                element if it has one and replaces
          --targets SELECTOR    a CSS selector instead of an id
          --template NAME       a template of public/fragments
          --value KEY=VALUE     a value for the template; may be repeated
          --transient           only for pages that are connected now
        \(remote)

        Example: paycast publish --user 42 --action update --target paywall --html Hello
        """

    private static let sign = """
        Print a signed stream name, for a page's subscription.

        Usage: paycast sign NAME [OPTIONS]

        Signs with the first of PAYCAST_STREAM_KEYS, else with SECRET_KEY_BASE, else
        with .paycast/stream.key.

        Options:
          --expires-in SECONDS  how long it is valid; without it, forever

        Example: paycast sign user:42:paywall
        """

    private static let order = """
        Create an order: the token that a purchase carries, and what a page needs.

        Usage: paycast order --user USER --product PRODUCT [OPTIONS]

        Options:
          --user USER           who pays
          --product PRODUCT     what is bought, by the store's id
          --provider NAME       \(stores)
          --group GROUP         the group in which one product is active at a time
          --kind KIND           subscription, non_renewing, non_consumable, consumable
          --token UUID          use this token, which the app has generated itself
          --json                the server's answer as JSON
        \(remote)

        Example: paycast order --user 42 --product monthly
        """

    private static let version = """
        Print the versions of this program, its libraries and its build.

        Usage: paycast version
        """

    static let remote = """
          --server URL          PAYCAST_SERVER, else .paycast/address, else where the
                                server of DATABASE_URL, PORT and PAYCAST_BIND listens
          --key KEY             PAYCAST_API_KEY or PAYCAST_API_KEY_FILE, else
                                .paycast/api.key
        """
}
