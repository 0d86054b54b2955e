import CLinux
import Glibc

/// Starts a program with `descriptors` as its stdin, stdout, stderr and so on, default signals, and nothing else of ours.
///
/// `env -C` changes the folder and becomes the program: Glibc's module has no posix_spawn action for that.
func spawn(
    _ program: String,
    _ arguments: [String],
    _ environment: [String: String],
    _ folder: String,
    _ descriptors: [Int32]
) -> pid_t {
    var actions = posix_spawn_file_actions_t()
    var attributes = posix_spawnattr_t()
    posix_spawn_file_actions_init(&actions)
    posix_spawnattr_init(&attributes)
    defer {
        posix_spawn_file_actions_destroy(&actions)
        posix_spawnattr_destroy(&attributes)
    }
    for (number, descriptor) in descriptors.enumerated() {
        posix_spawn_file_actions_adddup2(&actions, descriptor, Int32(number))
    }
    // What a library opened in this process without O_CLOEXEC would count against the program's own limit of files.
    posix_spawn_file_actions_addclosefrom_np(&actions, Int32(descriptors.count))
    var all = sigset_t()
    var none = sigset_t()
    sigfillset(&all)
    sigemptyset(&none)
    posix_spawnattr_setsigdefault(&attributes, &all)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF) | Int16(POSIX_SPAWN_SETSIGMASK))

    let launcher = "/usr/bin/env"
    let inherited = ["PATH": "/usr/local/bin:/usr/bin:/bin"]
    let variables = inherited.merging(environment) { $1 }.map { "\($0.key)=\($0.value)" }
    var process = pid_t()
    let status = withCStrings([launcher, "-C", folder, program] + arguments) { words in
        withCStrings(variables) { posix_spawn(&process, launcher, &actions, &attributes, words, $0) }
    }
    precondition(status == 0, "\(program): \(String(cString: strerror(status)))")
    return process
}

private func withCStrings<Result>(
    _ strings: [String],
    body: ([UnsafeMutablePointer<CChar>?]) -> Result
) -> Result {
    let copies = strings.map { strdup($0) }
    defer { copies.forEach { free($0) } }
    return body(copies + [nil])
}
