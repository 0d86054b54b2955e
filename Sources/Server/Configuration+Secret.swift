extension Configuration {
    /// A secret as an environment gives it, itself or in a file, for those who look at one without the rest. Nil when it
    /// is not set, or cannot be read.
    public static func secretText(_ variable: String, in environment: [String: String]) -> String? {
        if let value = environment[variable], !value.isEmpty { return value }
        return environment[fileVariable(of: variable)].flatMap(contents).map { trimmed($0) }
    }

    /// A text that never shows in a log, an error or a dump.
    public struct Secret: Sendable, Equatable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable
    {
        /// Characters; 16 of hexadecimal digits are 64 bits.
        public static let shortest = 16

        public let value: String

        public init(_ value: String) {
            self.value = value
        }

        public var description: String { "«secret»" }
        public var debugDescription: String { description }
        public var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
    }
}
