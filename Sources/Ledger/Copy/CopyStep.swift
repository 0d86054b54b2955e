/// What to do with a target. Pure.
enum CopyStep: Equatable {
    case begin
    case resume
    /// Everything that was copied before is thrown away.
    case beginAnew(because: String)

    /// `occupant` is the head of a target that holds anything; `name` is the target's.
    init(
        record: CopyRecord?,
        occupant: String?,
        epoch: String,
        stamp: String,
        target name: String
    ) throws(CopyError) {
        guard let record else {
            if let occupant { throw .occupied(name, head: occupant) }
            self = .begin
            return
        }
        guard record.epoch.utf8.elementsEqual(epoch.utf8) else {
            throw .otherSource(name, begunFrom: record.source)
        }
        if !record.isSound {
            self = .beginAnew(because: "what was copied before is not like the source")
        } else if !record.stamp.utf8.elementsEqual(stamp.utf8) {
            self = .beginAnew(because: "the source is not as it was when the copy began")
        } else {
            self = .resume
        }
    }
}
