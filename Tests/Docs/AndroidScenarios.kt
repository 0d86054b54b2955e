// Runs the Kotlin of Android.md against a Google Play and a server that do what a scenario says. Prints a line for each:
// its name, and what came of it.

package com.example.shop

import android.app.Activity
import android.app.Application
import android.content.ContextWrapper
import android.os.Handler
import com.android.billingclient.api.BillingClient.BillingResponseCode
import com.android.billingclient.api.BillingClient.ProductType
import com.android.billingclient.api.BillingResult
import com.android.billingclient.api.InAppMessageResult
import com.android.billingclient.api.Play
import com.android.billingclient.api.Purchase
import com.sun.net.httpserver.HttpServer
import org.json.JSONObject
import java.net.InetSocketAddress
import java.util.concurrent.LinkedBlockingQueue
import java.util.concurrent.TimeUnit

private const val GRANTED = """{"outcome":"applied","event":"e","cursor":"c","claim":"granted"}"""

/** Answers posts in turn, the last answer for ever, and notes token and stream of each. 429 asks to wait for a day. */
class ScriptedServer(private vararg val answers: Pair<Int, String>) {
    val posts = LinkedBlockingQueue<String>()
    /** What the holder of a stream has. */
    var entitlements = mapOf<String, String>()
    private var count = 0
    private val http = HttpServer.create(InetSocketAddress("127.0.0.1", 0), 0)

    init {
        http.createContext("/transactions/google") { exchange ->
            val post = JSONObject(exchange.requestBody.reader().readText())
            val (status, body) = answers[minOf(count, answers.size - 1)]
            count += 1
            if (status == 429) exchange.responseHeaders.set("Retry-After", "86400")
            exchange.sendResponseHeaders(status, body.toByteArray().size.toLong())
            exchange.responseBody.use { it.write(body.toByteArray()) }
            posts.put("${post.getString("purchaseToken")} ${post.getString("stream")}")
        }
        http.createContext("/entitlements") { exchange ->
            val held = entitlements[exchange.requestURI.query.removePrefix("name=")] ?: ""
            val body = """{"active":false,"entitlements":[$held]}""".toByteArray()
            exchange.sendResponseHeaders(200, body.size.toLong())
            exchange.responseBody.use { it.write(body) }
        }
        http.start()
    }

    val address get() = "http://127.0.0.1:${http.address.port}"
}

fun <T> LinkedBlockingQueue<T>.next(): T = poll(10, TimeUnit.SECONDS) ?: throw AssertionError("nothing came")

class Phone(vararg answers: Pair<Int, String> = arrayOf(200 to GRANTED)) {
    val server = ScriptedServer(*answers)
    private val activity = Activity()
    private var purchases = Purchases(Application(), Server(server.address), listOf(setOf("pro", "max")))

    init {
        Play.purchases.clear()
        Play.code = BillingResponseCode.OK
    }

    /** As when the process starts again: only what is on disk is left. */
    fun start() {
        purchases = Purchases(Application(), Server(server.address))
        Handler(null).post { purchases.start() }
    }

    fun resume() = Handler(null).post { purchases.resume(activity) }

    fun send(event: String, json: String): LinkedBlockingQueue<String> {
        val replies = LinkedBlockingQueue<String>()
        Handler(null).post { purchases.handle(event, json, activity) { replies.put(it) } }
        return replies
    }

    /** The first answer, or as many as are named. */
    fun ask(event: String, json: String = "{}", count: Int = 1): String {
        val replies = send(event, json)
        return (1..count).joinToString(" ") { replies.next() }
    }

    fun posts(count: Int) = (1..count).map { server.posts.next() } + server.posts
}

/** The sheet ends with this purchase, which carries the order that was asked for. */
fun sells(product: String, token: String, state: Int = Purchase.PurchaseState.PURCHASED) {
    Play.sheet = java.util.function.Function { params ->
        val purchase = Purchase(product, token, params.account)
        purchase.state = state
        Play.purchases.add(purchase)
        ends(BillingResponseCode.OK, listOf(purchase))
    }
}

fun ends(code: Int, purchases: List<Purchase>? = null): Int {
    Handler(null).post { Play.listener.onPurchasesUpdated(BillingResult(code), purchases) }
    return BillingResponseCode.OK
}

fun message(product: String, order: String, plan: String = "") =
    """{"order":"$order","stream":"stream-$order","productId":"$product","googleStoreBasePlanId":"$plan"}"""

val scenarios = mapOf<String, () -> Any?>(
    "prices" to {
        val asked = listOf("pro", "coins", "gone").joinToString(",") { """{"googleStoreProductId":"$it"}""" }
        val prices = JSONObject(Phone().ask("prices", """{"products":[$asked]}""")).getJSONObject("prices")
        listOf("pro", "pro:year", "pro:month", "coins", "gone").map { prices.optString(it) }
    },
    "bought" to {
        var offer = ""
        sells("pro", "t1")
        val sheet = Play.sheet
        Play.sheet = java.util.function.Function { offer = it.product.offerToken; sheet.apply(it) }
        val phone = Phone()
        listOf(phone.ask("purchase", message("pro", "1", "year")), phone.posts(1), offer, phone.ask("state"))
    },
    "coins are delivered" to {
        sells("coins", "t16")
        val phone = Phone()
        val held = """{"product":"coins","state":"delivered","active":false,"quantity":1}"""
        phone.server.entitlements = mapOf("stream+16" to held)
        listOf(
            phone.ask("purchase", message("coins", "16").replace("stream-16", "stream+16")),
            phone.ask("restore")
        )
    },
    "another plan, another product, no subscription" to {
        val old = mutableListOf<String?>()
        val phone = Phone()
        for ((owned, wanted) in listOf("pro" to "pro", "max" to "pro", "max" to "coins", "news" to "pro")) {
            Play.purchases.clear()
            Play.purchases.add(Purchase(owned, "$owned is owned", "17").apply { acknowledged = true })
            Play.sheet = java.util.function.Function {
                old.add(it.oldToken?.plus(" " + it.replacementMode))
                ends(BillingResponseCode.USER_CANCELED)
            }
            phone.ask("purchase", message(wanted, "17", if (wanted == "coins") "" else "year"))
        }
        old
    },
    "tapped again before the server knows" to {
        val phone = Phone()
        Play.purchases.add(Purchase("pro", "t19", "19"))
        Play.sheet = java.util.function.Function { throw AssertionError("sold twice") }
        listOf(phone.ask("purchase", message("pro", "19", "year")), phone.posts(1))
    },
    "a declined payment is mended" to {
        val phone = Phone()
        phone.ask("state", message("pro", "18"))
        Play.message = java.util.function.Supplier {
            Play.message = java.util.function.Supplier { InAppMessageResult(0) }
            Play.purchases.add(Purchase("pro", "t18", "18"))
            InAppMessageResult(InAppMessageResult.InAppMessageResponseCode.SUBSCRIPTION_STATUS_UPDATED)
        }
        phone.resume()
        phone.posts(1)
    },
    "cancelled" to {
        Play.sheet = java.util.function.Function { ends(BillingResponseCode.USER_CANCELED) }
        val phone = Phone()
        listOf(phone.ask("purchase", message("coins", "2")), phone.ask("state"))
    },
    "two taps" to {
        val phone = Phone()
        Play.sheet = java.util.function.Function { BillingResponseCode.OK }
        val replies = listOf(phone.send("purchase", message("coins", "3")), phone.send("purchase", message("coins", "3")))
        val state = phone.ask("state")
        ends(BillingResponseCode.USER_CANCELED)
        listOf(state) + replies.map { it.next() }
    },
    "busy server and hotel" to {
        sells("coins", "t4")
        val phone = Phone(503 to """{"error":"busy"}""", 200 to "<html>Log in</html>", 200 to GRANTED)
        Handler.delays.clear()
        val answers = phone.ask("purchase", message("coins", "4"), count = 2)
        listOf(answers, phone.posts(3), Handler.delays[0] in 500L..1000L, Handler.delays[1] in 1000L..2000L)
    },
    "asked to wait" to {
        sells("coins", "t12")
        val phone = Phone(429 to """{"error":"rate_limited"}""", 200 to GRANTED)
        val replies = phone.send("purchase", message("coins", "12"))
        val first = replies.next()
        phone.resume()
        phone.resume()
        val state = phone.ask("state")
        phone.ask("state", """{"order":"12","stream":"anew"}""")
        phone.resume()
        listOf(first, state, phone.ask("state"), phone.posts(1), replies.size)
    },
    "webhook first" to {
        sells("coins", "t13")
        Phone(200 to GRANTED.replace("applied", "ignored")).ask("purchase", message("coins", "13"))
    },
    "killed before the post" to {
        sells("coins", "t5")
        val first = Phone(503 to """{"error":"busy"}""", 503 to "")
        first.ask("purchase", message("coins", "5"))
        val second = Phone()
        Play.purchases.add(Purchase("coins", "t5", "5"))
        second.start()
        second.posts(1)
    },
    "bought elsewhere" to {
        val phone = Phone()
        Play.purchases.add(Purchase("coins", "t6", "unknown"))
        phone.start()
        listOf(phone.ask("state", """{"order":"6","stream":"stream-6"}"""), phone.ask("restore"), phone.posts(1))
    },
    "another user restores" to {
        val phone = Phone(409 to """{"error":"owned_by_other"}""")
        Play.purchases.add(Purchase("coins", "t14", "14"))
        phone.ask("state", """{"order":"14","stream":"stream-14"}""")
        listOf(phone.ask("restore", """{"stream":"theirs"}"""), phone.posts(1))
    },
    "killed while it restores" to {
        val first = Phone(503 to """{"error":"busy"}""")
        Play.purchases.add(Purchase("coins", "t15", "unknown"))
        val offline = first.ask("restore", """{"stream":"stream-15"}""")
        val second = Phone()
        Play.purchases.add(Purchase("coins", "t15", "unknown"))
        second.start()
        val posts = second.posts(1)
        val again = second.ask("restore", """{"stream":"stream-15"}""")
        listOf(offline, posts, again, ContextWrapper.preferences["t15"])
    },
    "nothing to restore" to { Phone().ask("restore") },
    "paid later" to {
        sells("coins", "t7", Purchase.PurchaseState.PENDING)
        val phone = Phone()
        val answers = listOf(phone.ask("purchase", message("coins", "7")), phone.posts(1), phone.ask("state"))
        Play.purchases[0].state = Purchase.PurchaseState.PURCHASED
        phone.resume()
        answers + listOf(phone.posts(1))
    },
    "expired stream" to {
        sells("coins", "t8")
        val phone = Phone(403 to """{"error":"expired_stream_name"}""", 200 to GRANTED)
        val replies = phone.send("purchase", message("coins", "8"))
        val first = replies.next()
        phone.resume()
        phone.ask("state", """{"order":"8","stream":"anew"}""")
        listOf(first, replies.next(), phone.posts(2))
    },
    "another user's" to {
        sells("coins", "t9")
        Phone(409 to """{"error":"owned_by_other"}""").ask("purchase", message("coins", "9"))
    },
    "owned already" to {
        val phone = Phone()
        Play.purchases.add(Purchase("coins", "t10", "10"))
        Play.sheet = java.util.function.Function { BillingResponseCode.ITEM_ALREADY_OWNED }
        listOf(phone.ask("purchase", message("coins", "10")), phone.posts(1))
    },
    "no Google Play" to {
        val phone = Phone()
        Play.code = BillingResponseCode.SERVICE_UNAVAILABLE
        listOf(phone.ask("purchase", message("coins", "11")), phone.ask("restore"))
    },
    "nonsense" to {
        val phone = Phone()
        listOf("[]", "{}", """{"order":7}""").map { phone.ask("purchase", it) } + phone.ask("pay") +
            phone.ask("prices", """{"products":[]}""") + phone.ask("manage") + phone.ask("refund")
    }
)

/** With a real server's address and a stream's name: what it says of coins and of a subscription. */
fun main(arguments: Array<String>) {
    if (arguments.isNotEmpty()) {
        val (address, stream) = arguments
        return println(listOf("coins", "pro").map { Server(address).isDelivered(it, stream) })
    }
    for (id in listOf("pro", "max", "news")) Play.products[id] = ProductType.SUBS
    Play.products["coins"] = ProductType.INAPP
    for ((name, scenario) in scenarios) println("$name: ${scenario()}")
    System.exit(0)
}
