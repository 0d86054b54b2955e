extension Configuration {
    /// A text that never shows in a log, an error or a dump.
    public struct Secret: Sendable, Equatable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable
    {
        public let value: String

        public init(_ value: String) {
            self.value = value
        }

        public var description: String { "«secret»" }
        public var debugDescription: String { description }
        public var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
    }
}
