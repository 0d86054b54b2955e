/// The commands that work with a ledger itself, without a server.
extension Help {
    static let migrate = """
        Bring a ledger's tables up to date, or create the ledger.

        Usage: paycast migrate [OPTIONS]

        “serve” does the same when it starts. If your platform has a release step, run
        it there: “release: paycast migrate” in a Procfile.

        Options:
          --database URL        DATABASE_URL, sqlite:paycast.db

        Example: paycast migrate --database postgres://db1/paycast
        """

    static let copy = """
        Copy a ledger to another database or engine, and compare every row.

        Usage: paycast copy --from URL --to URL

        Stop every server first. Both URLs have DATABASE_URL's form: SQLite to
        PostgreSQL, back, or two databases of one engine. Cursors of pages stay valid.
        The source stays as it is. After an interruption, the same command starts over;
        until the copy is finished and has been compared with its source, no server
        starts on it. Progress goes to stderr.

        Options:
          --from URL            the ledger to copy; PAYCAST_COPY_FROM
          --to URL              the target; it must have no ledger yet, or an empty one;
                                PAYCAST_COPY_TO

        Other users of the machine can see a command's arguments: put a URL with a
        password into the environment.

        Example: paycast copy --from sqlite:paycast.db --to postgres://db1/paycast
        """

    static let backup = """
        Copy a ledger into one file, even while a server uses it.

        Usage: paycast backup FILE [OPTIONS]

        The copy is consistent. It is read back from the first page to the last, and
        then renamed in one step: FILE is the older backup or the new one, never half
        of one. Only an older backup is ever replaced.

        Options:
          --database URL        DATABASE_URL, sqlite:paycast.db

        Example: paycast backup /backups/paycast.db
        """

    static let restore = """
        Replace the ledger with a backup, while no server runs on it.

        Usage: paycast restore FILE [OPTIONS]

        The ledger gets a new epoch: pages that come with an older cursor are sent the
        newest state, and “tail” reports that its cursor no longer applies. Events that
        came after the backup are missing: “paycast recover” fetches them from stores
        that keep a history. The previous ledger is kept beside it as ….before-restore.

        Options:
          --database URL        DATABASE_URL, sqlite:paycast.db

        Example: paycast restore /backups/paycast.db
        """
}

extension Help {
    static let completions = """
        Print the script that lets a shell complete paycast's commands and options.

        Usage: paycast completions SHELL

        SHELL is bash, zsh or fish.

        Example: source <(paycast completions bash)
        """
}

/// What watches the metrics.
extension Help {
    static let alerts = """
        Print Prometheus alert rules.

        Usage: paycast alerts [OPTIONS]

        The rules name only metrics that the program has, and each names the section
        of the Runbook that says what to do. List the file under “rule_files” in
        Prometheus' configuration. Change what you like: it is a beginning.

        Options:
          --runbook URL         where your readers find the Runbook; without it, the
                                file that the Debian package installs

        Example: paycast alerts > /etc/prometheus/paycast.yml
        """

    static let dashboard = """
        Print a Grafana dashboard.

        Usage: paycast dashboard

        Import it into Grafana, and choose the Prometheus that reads /metrics.

        Example: paycast dashboard > paycast.json
        """
}

/// Commands about one user's data.
extension Help {
    static let grant = """
        Give a user a product for a time, with a reason, and show it on open pages.

        Usage: paycast grant --user USER --product PRODUCT --days N --reason TEXT
               paycast grant --users FILE [--product PRODUCT] --days N --reason TEXT

        A grant is one more source beside the stores: it ends by itself, and what a
        store says about its own contract stays as it is. Prints the grant's id, by
        which “paycast revoke” takes it back.

        With --users, each user of the file gets it. Run the same command again after
        an interruption, also with a corrected file: nobody gets the same twice. A
        second compensation has another reason.

        Options:
          --user USER           who gets it
          --users FILE          … or each user of this file, one a line; “-” is stdin
          --product PRODUCT     what is granted, by the store's id; with --users and without
                                it, what each user holds, or held last
          --days NUMBER         for so many days from now on, 1 to 3650
          --until INSTANT       … or until this instant or date
          --forever             … or for ever
          --reason TEXT         the reason, for the audit, without the user's id
          --group GROUP         the group in which one product is active at a time
          --idempotency-key KEY  the same key for the same user is the same grant
          --dry-run             with --users: read the file, and grant nothing
          --json                the server's answer as JSON
        \(remote)

        Example: paycast grant --user 42 --product pro --days 30 --reason "ticket 7"
        """

    static let revoke = """
        Take a grant back, with a reason, and show it on open pages.

        Usage: paycast revoke --user USER --grant ID --reason TEXT [OPTIONS]

        Takes back what “paycast grant” gave, and never what a store sold. Doing it
        again is harmless.

        Options:
          --user USER           whose grant it is
          --grant ID            the id that “grant” printed; “contract” in entitlements
          --reason TEXT         the reason, for the audit, without the user's id
          --json                the server's answer as JSON
        \(remote)

        Example: paycast revoke --user 42 --grant ID --reason "granted by mistake"
        """

    static let export = """
        Print everything known about a user, as one JSON document.

        Usage: paycast export --user USER [OPTIONS]

        The output contains the contracts, the orders, who did what to the user, and
        every event with its effects and the body that the store sent, word for word, as
        long as that is kept. The body may say more about the user than your app knows:
        name, address, e-mail.

        Options:
          --user USER           the user to export
          --allow-unknown       exit 0 even when nothing is known about the user
        \(remote)

        Example: paycast export --user 42 > 42.json
        """

    static let erase = """
        Erase a user, so that nothing that stores send brings the user back.

        Usage: paycast erase --user USER --reason TEXT [OPTIONS]

        Erases the user's contracts, orders, events, fragments and jobs, and reloads
        the user's open pages; prints how many there were. Positions stay, so cursors
        stay valid. What stores say about the erased contracts from now on is answered
        “ignored”. The user comes back only through an order or a purchase that the
        app's backend posts. Erasing again is harmless, and necessary after restoring a
        backup made before the erasure. Does not cancel a subscription: the user must
        do that at the store.

        Options:
          --user USER           the user to erase
          --reason TEXT         the reason, for the server's log, without the user's id
          --allow-unknown       exit 0 even when nothing was known about the user
          --json                the server's answer as JSON
        \(remote)

        Example: paycast erase --user 42 --reason "request of 1 May"
        """
}

extension Help {
    static let hooks = """
        Show, test and repeat the webhooks to the app's backend (PAYCAST_HOOK_URLS).

        Usage: paycast hooks [list] [OPTIONS]
               paycast hooks test
               paycast hooks resend ID...|--failed
               paycast hooks listen [--port PORT] [--forward-to URL]

        “list” prints how each address fares, and exits 1 unless all are well. With --user
        or --state it prints messages instead: one for each user and address, the newest.
        “test” sends each address a message of the type paycast.test, and exits 1 unless
        all accept it. “resend” sends a message once more, in the user's present state.

        “listen” is a receiver for development: it verifies what arrives, and prints one
        line for each message. The secrets are those of PAYCAST_HOOK_SECRETS, else the one
        in .paycast/.

        Options:
          --user USER           only messages about this user
          --state WORD          only these: waiting, delivered or failed
          --failed              resend all that have failed
          --port PORT           where to listen on 127.0.0.1, 4040; 0 is any free port
          --forward-to URL      post what is genuine here, and answer the same
          --json                the server's answers, or the messages, as JSON
        \(remote)

        Example: PAYCAST_HOOK_URLS=http://127.0.0.1:4040 paycast demo
                 paycast hooks listen --forward-to http://localhost:3000/hooks
        """
}
