package dev.hotwire.navigation.navigator

data class NavigatorConfiguration(val name: String, val startLocation: String, val navigatorHostId: Int)
