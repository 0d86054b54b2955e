import Glibc

// Ignores SIGPIPE: a reader that goes away, as in `paycast tail | head -1`, shows up as an error of write(2) instead.
signal(SIGPIPE, SIG_IGN)
exit(Program.run(Array(CommandLine.arguments.dropFirst())))
