/// Files that the program carries in itself, so that they are there whatever the public folder holds, and where there is
/// none. `Sources/Assets` links to them, and the build puts their bytes into code.
public enum Assets {
    /// `public/paycast.js`: what README tells pages to load.
    public static let script = PackageResources.paycast_js

    /// `public/paycast-native.js`: what pages of Hotwire Native apps load.
    public static let nativeScript = PackageResources.paycast_native_js

    /// `public/openapi.json`: what every route takes and answers.
    public static let openAPI = PackageResources.openapi_json

    /// `public/demo/`, by their names there.
    public static let demo = [
        "app.js": PackageResources.app_js,
        "appstore.js": PackageResources.appstore_js,
        "bridge.js": PackageResources.bridge_js,
        "demo.css": PackageResources.demo_css,
        "demo.js": PackageResources.demo_js,
        "disk.js": PackageResources.disk_js,
        "events.js": PackageResources.events_js,
        "icon.svg": PackageResources.icon_svg,
        "index.html": PackageResources.index_html,
        "phone.css": PackageResources.phone_css,
        "phone.js": PackageResources.phone_js,
        "sheet.js": PackageResources.sheet_js,
        "swap.js": PackageResources.swap_js,
        "timeline.js": PackageResources.timeline_js,
        "turbo.js": PackageResources.turbo_js,
        "webview.js": PackageResources.webview_js,
        "world.js": PackageResources.world_js,
    ]

    /// `public/fragments/`, by their names there.
    public static let fragments = [
        "ending.de.html": PackageResources.ending_de_html,
        "ending.html": PackageResources.ending_html,
        "fix_billing.de.html": PackageResources.fix_billing_de_html,
        "fix_billing.html": PackageResources.fix_billing_html,
        "manage.de.html": PackageResources.manage_de_html,
        "manage.html": PackageResources.manage_html,
        "moved.de.html": PackageResources.moved_de_html,
        "moved.html": PackageResources.moved_html,
        "paused.de.html": PackageResources.paused_de_html,
        "paused.html": PackageResources.paused_html,
        "paywall.de.html": PackageResources.paywall_de_html,
        "paywall.html": PackageResources.paywall_html,
        "pending.de.html": PackageResources.pending_de_html,
        "pending.html": PackageResources.pending_html,
        "revoked.de.html": PackageResources.revoked_de_html,
        "revoked.html": PackageResources.revoked_html,
        "success.de.html": PackageResources.success_de_html,
        "success.html": PackageResources.success_html,
        "warn_billing.de.html": PackageResources.warn_billing_de_html,
        "warn_billing.html": PackageResources.warn_billing_html,
    ]
}
