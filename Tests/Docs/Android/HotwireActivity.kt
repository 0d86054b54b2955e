package dev.hotwire.navigation.activities

import android.app.Activity

abstract class HotwireActivity : Activity()
