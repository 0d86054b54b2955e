package dev.hotwire.navigation.activities

import android.app.Activity
import dev.hotwire.navigation.navigator.NavigatorConfiguration

abstract class HotwireActivity : Activity() {
    abstract fun navigatorConfigurations(): List<NavigatorConfiguration>
}
