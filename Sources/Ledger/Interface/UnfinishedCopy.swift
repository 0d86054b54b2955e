/// What a ledger is while another one is being copied into it: nothing else may use it before the copy has been checked.
public enum UnfinishedCopy {
    /// The table that such a ledger has, and no other.
    public static let table = "copying"

    public static let advice = "a copy into it is unfinished; run the same “paycast copy --from URL --to URL” again"
}
