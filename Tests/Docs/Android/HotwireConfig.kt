package dev.hotwire.navigation.config

import dev.hotwire.core.bridge.BridgeComponent
import dev.hotwire.core.bridge.BridgeComponentFactory
import dev.hotwire.core.config.Hotwire
import dev.hotwire.navigation.destinations.HotwireDestination

fun Hotwire.registerBridgeComponents(
    vararg factories: BridgeComponentFactory<HotwireDestination, BridgeComponent<HotwireDestination>>
) {}
