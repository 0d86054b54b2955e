package dev.hotwire.navigation.navigator

import android.webkit.WebView
import dev.hotwire.core.turbo.session.Session

data class NavigatorConfiguration(val name: String, val startLocation: String, val navigatorHostId: Int)

class Navigator(val configuration: NavigatorConfiguration) {
    val session = Session(WebView())
}
