/// Files that the program carries in itself, so that they are there whatever the public folder holds. `Sources/Assets` links
/// to them, and the build puts their bytes into code.
public enum Assets {
    /// `public/paycast.js`: what README tells pages to load.
    public static let script = PackageResources.paycast_js
}
