package com.example.shop

/** Of the layout in Rails.md. */
object R {
    object id { const val navigator = 1 }
    object layout { const val activity_main = 2 }
}
