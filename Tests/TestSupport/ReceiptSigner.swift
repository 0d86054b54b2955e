/// Makes PKCS#7 messages with `openssl cms`, as Apple's receipts are.
public final class ReceiptSigner: Sendable {
    private let folder = TemporaryFolder()

    /// PEM: the signer's certificate and key, and the certificates to send along.
    public init(certificate: String, key: String, others: String) {
        folder.write(certificate, to: "leaf.pem")
        folder.write(key, to: "leaf.key")
        folder.write(others, to: "chain.pem")
    }

    /// The Base64 of the message. `options` are more of openssl-cms(1).
    public func sign(_ content: [UInt8], _ options: [String] = []) throws -> String {
        folder.write(bytes: content, to: "content")
        let files = ["-signer", "leaf.pem", "-inkey", "leaf.key", "-certfile", "chain.pem", "-in", "content"]
        try run(["cms", "-sign", "-binary", "-nodetach", "-outform", "DER", "-out", "message"] + files + options)
        return try run(["base64", "-A", "-in", "message"])
    }

    /// Another way to make a message of a content.
    public func make(_ arguments: [String], of content: [UInt8]) throws -> String {
        folder.write(bytes: content, to: "content")
        try run(["cms"] + arguments + ["-outform", "DER", "-out", "message", "-in", "content"])
        return try run(["base64", "-A", "-in", "message"])
    }

    /// A second pair in the signer's folder.
    public func add(certificate: String, key: String) {
        folder.write(certificate, to: "other.pem")
        folder.write(key, to: "other.key")
    }

    @discardableResult
    private func run(_ arguments: [String]) throws -> String {
        let process = RunningProcess("openssl", arguments, folder: folder.path)
        guard try process.waitForExit() == 0 else { throw RunningProcess.Timeout(description: process.errors) }
        return process.output
    }
}
