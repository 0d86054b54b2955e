/// Keeps the values that were set last, at most `capacity` of them.
///
/// When the newer half is full, it becomes the older half, and the previous older half is forgotten.
public struct BoundedCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private let capacity: Int
    private var newer: [Key: Value] = [:]
    private var older: [Key: Value] = [:]

    public init(capacity: Int) { self.capacity = capacity }

    public subscript(key: Key) -> Value? {
        get { newer[key] ?? older[key] }
        set {
            guard let newValue else {
                newer[key] = nil
                older[key] = nil
                return
            }
            if newer.count >= capacity / 2, newer[key] == nil {
                older = newer
                newer = [:]
            }
            newer[key] = newValue
        }
    }
}
