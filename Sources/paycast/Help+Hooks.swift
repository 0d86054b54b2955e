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
