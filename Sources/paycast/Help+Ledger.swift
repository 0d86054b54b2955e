/// The commands that work with a ledger's file, without a server.
extension Help {
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
