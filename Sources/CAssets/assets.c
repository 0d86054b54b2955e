#include "CAssets.h"

// C23 has #embed; the compiler that comes with Swift knows it in every mode.
#pragma clang diagnostic ignored "-Wc23-extensions"

// Text without NUL, so the NUL after each file ends it. The compiler notes each as a dependency: a change rebuilds this file.
static const struct paycast_asset assets[] = {
    {"apple-roots.pem", (const unsigned char[]){
#embed "apple-roots.pem" suffix(, 0)
    }},
    {"body-dictionary.txt", (const unsigned char[]){
#embed "body-dictionary.txt" suffix(, 0)
    }},
    {"openapi.json", (const unsigned char[]){
#embed "../../public/openapi.json" suffix(, 0)
    }},
    {"paycast.js", (const unsigned char[]){
#embed "../../public/paycast.js" suffix(, 0)
    }},
    {"paycast-native.js", (const unsigned char[]){
#embed "../../public/paycast-native.js" suffix(, 0)
    }},
    {"console/action.html", (const unsigned char[]){
#embed "../../public/console/action.html" suffix(, 0)
    }},
    {"console/attention.html", (const unsigned char[]){
#embed "../../public/console/attention.html" suffix(, 0)
    }},
    {"console/chart.html", (const unsigned char[]){
#embed "../../public/console/chart.html" suffix(, 0)
    }},
    {"console/console.css", (const unsigned char[]){
#embed "../../public/console/console.css" suffix(, 0)
    }},
    {"console/console.js", (const unsigned char[]){
#embed "../../public/console/console.js" suffix(, 0)
    }},
    {"console/enter.html", (const unsigned char[]){
#embed "../../public/console/enter.html" suffix(, 0)
    }},
    {"console/error.html", (const unsigned char[]){
#embed "../../public/console/error.html" suffix(, 0)
    }},
    {"console/event.html", (const unsigned char[]){
#embed "../../public/console/event.html" suffix(, 0)
    }},
    {"console/events.html", (const unsigned char[]){
#embed "../../public/console/events.html" suffix(, 0)
    }},
    {"console/layout.html", (const unsigned char[]){
#embed "../../public/console/layout.html" suffix(, 0)
    }},
    {"console/live.html", (const unsigned char[]){
#embed "../../public/console/live.html" suffix(, 0)
    }},
    {"console/log_in.html", (const unsigned char[]){
#embed "../../public/console/log_in.html" suffix(, 0)
    }},
    {"console/nodes.html", (const unsigned char[]){
#embed "../../public/console/nodes.html" suffix(, 0)
    }},
    {"console/overview.html", (const unsigned char[]){
#embed "../../public/console/overview.html" suffix(, 0)
    }},
    {"console/parts.html", (const unsigned char[]){
#embed "../../public/console/parts.html" suffix(, 0)
    }},
    {"console/refund.html", (const unsigned char[]){
#embed "../../public/console/refund.html" suffix(, 0)
    }},
    {"console/search.html", (const unsigned char[]){
#embed "../../public/console/search.html" suffix(, 0)
    }},
    {"console/time_line.html", (const unsigned char[]){
#embed "../../public/console/time_line.html" suffix(, 0)
    }},
    {"console/user.html", (const unsigned char[]){
#embed "../../public/console/user.html" suffix(, 0)
    }},
    {"demo/catalog.json", (const unsigned char[]){
#embed "../../public/demo/catalog.json" suffix(, 0)
    }},
    {"demo/app.js", (const unsigned char[]){
#embed "../../public/demo/app.js" suffix(, 0)
    }},
    {"demo/appstore.js", (const unsigned char[]){
#embed "../../public/demo/appstore.js" suffix(, 0)
    }},
    {"demo/bridge.js", (const unsigned char[]){
#embed "../../public/demo/bridge.js" suffix(, 0)
    }},
    {"demo/demo.css", (const unsigned char[]){
#embed "../../public/demo/demo.css" suffix(, 0)
    }},
    {"demo/demo.js", (const unsigned char[]){
#embed "../../public/demo/demo.js" suffix(, 0)
    }},
    {"demo/disk.js", (const unsigned char[]){
#embed "../../public/demo/disk.js" suffix(, 0)
    }},
    {"demo/events.js", (const unsigned char[]){
#embed "../../public/demo/events.js" suffix(, 0)
    }},
    {"demo/icon.svg", (const unsigned char[]){
#embed "../../public/demo/icon.svg" suffix(, 0)
    }},
    {"demo/index.html", (const unsigned char[]){
#embed "../../public/demo/index.html" suffix(, 0)
    }},
    {"demo/look.css", (const unsigned char[]){
#embed "../../public/demo/look.css" suffix(, 0)
    }},
    {"demo/phone.css", (const unsigned char[]){
#embed "../../public/demo/phone.css" suffix(, 0)
    }},
    {"demo/phone.js", (const unsigned char[]){
#embed "../../public/demo/phone.js" suffix(, 0)
    }},
    {"demo/sheet.js", (const unsigned char[]){
#embed "../../public/demo/sheet.js" suffix(, 0)
    }},
    {"demo/swap.js", (const unsigned char[]){
#embed "../../public/demo/swap.js" suffix(, 0)
    }},
    {"demo/timeline.js", (const unsigned char[]){
#embed "../../public/demo/timeline.js" suffix(, 0)
    }},
    {"demo/turbo.js", (const unsigned char[]){
#embed "../../public/demo/turbo.js" suffix(, 0)
    }},
    {"demo/webview.js", (const unsigned char[]){
#embed "../../public/demo/webview.js" suffix(, 0)
    }},
    {"demo/world.js", (const unsigned char[]){
#embed "../../public/demo/world.js" suffix(, 0)
    }},
    {"fragments/ending.de.html", (const unsigned char[]){
#embed "../../public/fragments/ending.de.html" suffix(, 0)
    }},
    {"fragments/ending.html", (const unsigned char[]){
#embed "../../public/fragments/ending.html" suffix(, 0)
    }},
    {"fragments/fix_billing.de.html", (const unsigned char[]){
#embed "../../public/fragments/fix_billing.de.html" suffix(, 0)
    }},
    {"fragments/fix_billing.html", (const unsigned char[]){
#embed "../../public/fragments/fix_billing.html" suffix(, 0)
    }},
    {"fragments/manage.de.html", (const unsigned char[]){
#embed "../../public/fragments/manage.de.html" suffix(, 0)
    }},
    {"fragments/manage.html", (const unsigned char[]){
#embed "../../public/fragments/manage.html" suffix(, 0)
    }},
    {"fragments/maps/manage.de.html", (const unsigned char[]){
#embed "../../public/fragments/maps/manage.de.html" suffix(, 0)
    }},
    {"fragments/maps/manage.html", (const unsigned char[]){
#embed "../../public/fragments/maps/manage.html" suffix(, 0)
    }},
    {"fragments/maps/moved.de.html", (const unsigned char[]){
#embed "../../public/fragments/maps/moved.de.html" suffix(, 0)
    }},
    {"fragments/maps/moved.html", (const unsigned char[]){
#embed "../../public/fragments/maps/moved.html" suffix(, 0)
    }},
    {"fragments/maps/paywall.de.html", (const unsigned char[]){
#embed "../../public/fragments/maps/paywall.de.html" suffix(, 0)
    }},
    {"fragments/maps/paywall.html", (const unsigned char[]){
#embed "../../public/fragments/maps/paywall.html" suffix(, 0)
    }},
    {"fragments/maps/revoked.de.html", (const unsigned char[]){
#embed "../../public/fragments/maps/revoked.de.html" suffix(, 0)
    }},
    {"fragments/maps/revoked.html", (const unsigned char[]){
#embed "../../public/fragments/maps/revoked.html" suffix(, 0)
    }},
    {"fragments/maps/success.de.html", (const unsigned char[]){
#embed "../../public/fragments/maps/success.de.html" suffix(, 0)
    }},
    {"fragments/maps/success.html", (const unsigned char[]){
#embed "../../public/fragments/maps/success.html" suffix(, 0)
    }},
    {"fragments/moved.de.html", (const unsigned char[]){
#embed "../../public/fragments/moved.de.html" suffix(, 0)
    }},
    {"fragments/moved.html", (const unsigned char[]){
#embed "../../public/fragments/moved.html" suffix(, 0)
    }},
    {"fragments/paused.de.html", (const unsigned char[]){
#embed "../../public/fragments/paused.de.html" suffix(, 0)
    }},
    {"fragments/paused.html", (const unsigned char[]){
#embed "../../public/fragments/paused.html" suffix(, 0)
    }},
    {"fragments/paywall.de.html", (const unsigned char[]){
#embed "../../public/fragments/paywall.de.html" suffix(, 0)
    }},
    {"fragments/paywall.html", (const unsigned char[]){
#embed "../../public/fragments/paywall.html" suffix(, 0)
    }},
    {"fragments/pending.de.html", (const unsigned char[]){
#embed "../../public/fragments/pending.de.html" suffix(, 0)
    }},
    {"fragments/pending.html", (const unsigned char[]){
#embed "../../public/fragments/pending.html" suffix(, 0)
    }},
    {"fragments/pro/revoked.de.html", (const unsigned char[]){
#embed "../../public/fragments/pro/revoked.de.html" suffix(, 0)
    }},
    {"fragments/pro/revoked.html", (const unsigned char[]){
#embed "../../public/fragments/pro/revoked.html" suffix(, 0)
    }},
    {"fragments/purchase.de.html", (const unsigned char[]){
#embed "../../public/fragments/purchase.de.html" suffix(, 0)
    }},
    {"fragments/purchase.html", (const unsigned char[]){
#embed "../../public/fragments/purchase.html" suffix(, 0)
    }},
    {"fragments/revoked.de.html", (const unsigned char[]){
#embed "../../public/fragments/revoked.de.html" suffix(, 0)
    }},
    {"fragments/revoked.html", (const unsigned char[]){
#embed "../../public/fragments/revoked.html" suffix(, 0)
    }},
    {"fragments/success.de.html", (const unsigned char[]){
#embed "../../public/fragments/success.de.html" suffix(, 0)
    }},
    {"fragments/success.html", (const unsigned char[]){
#embed "../../public/fragments/success.html" suffix(, 0)
    }},
    {"fragments/warn_billing.de.html", (const unsigned char[]){
#embed "../../public/fragments/warn_billing.de.html" suffix(, 0)
    }},
    {"fragments/warn_billing.html", (const unsigned char[]){
#embed "../../public/fragments/warn_billing.html" suffix(, 0)
    }},
    {"alarms/alerts.yml", (const unsigned char[]){
#embed "alarms/alerts.yml" suffix(, 0)
    }},
    {"alarms/dashboard.json", (const unsigned char[]){
#embed "alarms/dashboard.json" suffix(, 0)
    }},
};

const struct paycast_asset *const paycast_assets = assets;
const size_t paycast_asset_count = sizeof assets / sizeof *assets;
