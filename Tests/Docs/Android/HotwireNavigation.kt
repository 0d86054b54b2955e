// https://github.com/hotwired/hotwire-native-android/tree/main/navigation-fragments/src/main/kotlin/dev/hotwire/navigation

package dev.hotwire.navigation.destinations

import androidx.fragment.app.Fragment
import dev.hotwire.core.bridge.BridgeDestination
import dev.hotwire.navigation.navigator.Navigator

interface HotwireDestination : BridgeDestination {
    val fragment: Fragment
    val navigator: Navigator
}
