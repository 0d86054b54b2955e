/// Marks a ledger into which another one is being copied: nothing else may use it until the copy has been checked.
public enum UnfinishedCopy {
    /// A table that only such a ledger has.
    public static let table = "copying"

    public static let advice = "a copy into it is unfinished; run the same “paycast copy --from URL --to URL” again"
}
