/// The commands that work with a ledger's file, without a server.
extension Help {
    static let backup = """
        Copy a ledger into one file, also while a server works with it.

        Usage: paycast backup FILE [OPTIONS]

        The copy is consistent, read again from the first to the last page, and then
        takes its name at once: FILE is the older backup or the new one, never half of
        one. Nothing but an older backup is replaced.

        Options:
          --database URL        DATABASE_URL, sqlite:paycast.db

        Example: paycast backup /backups/paycast.db
        """

    static let restore = """
        Put a backup in the ledger's place, while no server runs on it.

        Usage: paycast restore FILE [OPTIONS]

        The ledger gets a new epoch: pages that come with an older cursor are sent the
        newest state, and “tail” is told that it goes on elsewhere. What the stores said
        after the backup is missing: “paycast recover” fetches it where a store keeps
        it. The ledger that was there is kept beside it as ….before-restore.

        Options:
          --database URL        DATABASE_URL, sqlite:paycast.db

        Example: paycast restore /backups/paycast.db
        """
}

extension Help {
    static let completions = """
        Print what a shell needs to complete the words of paycast.

        Usage: paycast completions SHELL

        SHELL is bash, zsh or fish.

        Example: source <(paycast completions bash)
        """
}
