package dev.hotwire.core.turbo.session

import android.webkit.WebView

class Session(val webView: WebView)
