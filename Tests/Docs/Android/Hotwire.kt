package dev.hotwire.core.config

object Hotwire
