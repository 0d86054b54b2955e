/// The next step for a target. Pure.
enum CopyStep: Equatable {
    case begin
    case resume
    /// Discards everything that was copied before.
    case startOver(because: String)

    /// `occupant` is the head of a target that is not empty; `name` is the target's name.
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
            self = .startOver(because: "the earlier copy differs from the source")
        } else if !record.stamp.utf8.elementsEqual(stamp.utf8) {
            self = .startOver(because: "the source has changed since the copy began")
        } else {
            self = .resume
        }
    }
}
