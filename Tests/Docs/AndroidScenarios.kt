// Runs the Kotlin of Android.md against a Google Play and a server that do what a scenario says. Prints a line for each:
// its name, and what came of it.

package com.example.shop

import android.app.Activity
import android.app.Application
import android.content.ContextWrapper
import android.os.Handler
import android.webkit.WebView
import androidx.fragment.app.Fragment
import com.android.billingclient.api.BillingClient.BillingResponseCode
import com.android.billingclient.api.BillingClient.ProductType
import com.android.billingclient.api.BillingResult
import com.android.billingclient.api.InAppMessageResult
import com.android.billingclient.api.Play
import com.android.billingclient.api.Purchase
import com.sun.net.httpserver.HttpServer
import dev.hotwire.core.bridge.BridgeDelegate
import dev.hotwire.core.bridge.Message
import dev.hotwire.core.bridge.Metadata
import dev.hotwire.navigation.destinations.HotwireDestination
import dev.hotwire.navigation.navigator.Navigator
import dev.hotwire.navigation.navigator.NavigatorConfiguration
import org.json.JSONObject
import java.net.InetSocketAddress
import java.util.concurrent.LinkedBlockingQueue
import java.util.concurrent.TimeUnit

/** As the server signs the names `ann` and `bob`. */
private const val ANN = "ImFubiI=--1"
private const val ANN_ANEW = "ImFubiI=--2"
private const val BOB = "eyJfcmFpbHMiOnsiZGF0YSI6ImJvYiIsImV4cCI6bnVsbH19--1"
private const val OF_27 = """{"stream":"stream-27"}"""
private const val GRANTED = """{"outcome":"applied","event":"e","cursor":"c","claim":"yours"}"""

/** Answers posts, and notes token, stream, order and `asked` of each. 429 asks to wait for a day. */
class ScriptedServer(private val answer: (JSONObject) -> Pair<Int, String>) {
    val posts = LinkedBlockingQueue<String>()
    private val http = HttpServer.create(InetSocketAddress("127.0.0.1", 0), 0)

    init {
        http.createContext("/transactions/google") { exchange ->
            val post = JSONObject(exchange.requestBody.reader().readText())
            val (status, body) = answer(post)
            if (status == 429) exchange.responseHeaders.set("Retry-After", "86400")
            exchange.sendResponseHeaders(status, body.toByteArray().size.toLong())
            exchange.responseBody.use { it.write(body.toByteArray()) }
            val order = if (post.has("order")) " for " + post.getString("order") else ""
            val asked = if (post.has("asked")) " asked" else ""
            posts.put("${post.getString("purchaseToken")} ${post.getString("stream")}$order$asked")
        }
        http.start()
    }

    val address get() = "http://127.0.0.1:${http.address.port}"
}

/** The last answer for ever. */
fun inTurn(answers: Array<out Pair<Int, String>>): (JSONObject) -> Pair<Int, String> {
    var count = 0
    return { answers[minOf(count++, answers.size - 1)] }
}

fun <T> LinkedBlockingQueue<T>.next(): T = poll(10, TimeUnit.SECONDS) ?: throw AssertionError("nothing came")

class Phone(val server: ScriptedServer) {
    private val activity = Activity()
    var purchases = Purchases(Application(), Server(server.address), listOf(setOf("pro", "max")), setOf("coins"))

    /** A new one. */
    constructor(vararg answers: Pair<Int, String> = arrayOf(200 to GRANTED)) : this(ScriptedServer(inTurn(answers))) {
        Play.purchases.clear()
        Play.code = BillingResponseCode.OK
        ContextWrapper.preferences.clear()
    }

    /** The app after that: only what is on disk is left. */
    fun killed(vararg answers: Pair<Int, String> = arrayOf(200 to GRANTED)): Phone {
        val disk = ContextWrapper.preferences.toMap()
        return Phone(*answers).also { ContextWrapper.preferences.putAll(disk) }
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

    /** Until the app has heard that the server has what was asked for. */
    fun settles(token: String) {
        while (ContextWrapper.preferences.containsKey(token)) ask("prices")
    }

    fun posts(count: Int) = (1..count).map { server.posts.next() } + server.posts
}

/** The sheet ends with this purchase, which carries the id that was asked for, in the place of the one that it replaces. */
fun sells(product: String, token: String, state: Int = Purchase.PurchaseState.PURCHASED) {
    Play.sheet = java.util.function.Function { params ->
        val purchase = Purchase(product, token, params.account)
        purchase.state = state
        Play.purchases.removeAll { it.purchaseToken == params.oldToken || (it.product == product && !it.renews) }
        Play.purchases.add(purchase)
        ends(BillingResponseCode.OK, listOf(purchase))
    }
}

fun ends(code: Int, purchases: List<Purchase>? = null): Int {
    Handler(null).post { Play.listener.onPurchasesUpdated(BillingResult(code), purchases) }
    return BillingResponseCode.OK
}

fun message(
    product: String, order: String, plan: String = "", offer: String = "", stream: String = "stream-$order"
) = JSONObject()
    .put("order", order).put("stream", stream).put("productId", product)
    .put("googleStoreBasePlanId", plan).put("offer", offer).toString()

/** Owned, and known to the server. */
fun owned(product: String, token: String, account: String?) = Purchase(product, token, account)
    .apply { acknowledged = true }

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
        listOf(phone.ask("purchase", message("coins", "16")), phone.ask("restore", """{"stream":"stream-16"}"""))
    },
    "offers" to {
        val sold = mutableListOf<String?>()
        Play.sheet = java.util.function.Function {
            sold.add(it.product.offerToken)
            ends(BillingResponseCode.USER_CANCELED)
        }
        val phone = Phone()
        val wanted = listOf("month" to "", "month" to "winback", "year" to "winback", "month" to "trial", "week" to "")
        val answers = wanted.map { (plan, offer) -> phone.ask("purchase", message("pro", "21", plan, offer)) }
        listOf(sold, answers.last())
    },
    "another plan, another product, no subscription" to {
        val old = mutableListOf<String?>()
        val phone = Phone()
        for ((owned, wanted) in listOf("pro" to "pro", "max" to "pro", "max" to "coins", "news" to "pro")) {
            Play.purchases.clear()
            Play.purchases.add(owned(owned, "t-$owned", "of-$owned"))
            Play.sheet = java.util.function.Function {
                old.add(it.account + (it.product.replacement?.run { " changes ${it.oldToken} $oldProduct $mode" } ?: ""))
                ends(BillingResponseCode.USER_CANCELED)
            }
            phone.ask("purchase", message(wanted, "17", if (wanted == "coins") "" else "year"))
        }
        Play.purchases.clear()
        Play.purchases.add(owned("max", "t-max", "of-max").apply { renews = false })
        Play.purchases.add(owned("pro", "t-pro", "of-pro"))
        phone.ask("purchase", message("max", "17", "year"))
        listOf(old, ContextWrapper.preferences)
    },
    "another plan is the new order's, after a restart too" to {
        sells("max", "t22")
        val first = Phone(429 to """{"error":"rate_limited"}""")
        Play.purchases.add(owned("pro", "old", "first"))
        val kept = first.ask("purchase", message("max", "22", "year"))
        val again = first.killed()
        Play.purchases.add(Purchase("max", "t22", "first"))
        again.start()
        listOf(kept, first.posts(1), again.posts(1))
    },
    "bought again after it was cancelled" to {
        val sold = mutableListOf<String?>()
        sells("pro", "t23")
        val sheet = Play.sheet
        Play.sheet = java.util.function.Function { sold.add("${it.account} ${it.oldToken}"); sheet.apply(it) }
        val phone = Phone()
        Play.purchases.add(owned("pro", "old", "first").apply { renews = false })
        val bought = phone.ask("purchase", message("pro", "23", "year"))
        // Bought by an app that gave no id.
        Play.purchases.clear()
        Play.purchases.add(owned("pro", "older", null).apply { renews = false })
        sells("pro", "t24")
        listOf(sold, bought, phone.ask("purchase", message("pro", "24", "month")), phone.posts(2))
    },
    "on hold" to {
        val phone = Phone()
        Play.purchases.add(owned("pro", "t25", "25").apply { suspended = true })
        Play.sheet = java.util.function.Function { throw AssertionError("sold beside what is on hold") }
        listOf(phone.ask("purchase", message("pro", "25", "year")), phone.ask("restore", """{"stream":"stream-25"}"""))
    },
    "tapped again before the server knows" to {
        sells("pro", "t19")
        val first = Phone(429 to "{}")
        first.ask("purchase", message("pro", "19", "year"))
        val second = first.killed()
        Play.purchases.add(Purchase("pro", "t19", "19"))
        Play.sheet = java.util.function.Function { throw AssertionError("sold twice") }
        listOf(second.ask("purchase", message("pro", "19", "year")), second.posts(1))
    },
    "a declined payment is mended" to {
        sells("pro", "t18", Purchase.PurchaseState.PENDING)
        val phone = Phone()
        phone.ask("purchase", message("pro", "18"))
        Play.message = java.util.function.Supplier {
            Play.message = java.util.function.Supplier { InAppMessageResult(0) }
            Play.purchases[0].state = Purchase.PurchaseState.PURCHASED
            InAppMessageResult(InAppMessageResult.InAppMessageResponseCode.SUBSCRIPTION_STATUS_UPDATED)
        }
        val posts = phone.posts(1)
        phone.settles("t18")
        phone.resume()
        posts + phone.posts(1)
    },
    "cancelled" to {
        Play.sheet = java.util.function.Function { ends(BillingResponseCode.USER_CANCELED) }
        val phone = Phone()
        listOf(phone.ask("purchase", message("coins", "2")), phone.ask("state"))
    },
    "two taps" to {
        val phone = Phone()
        val sheets = LinkedBlockingQueue<String>()
        Play.sheet = java.util.function.Function { sheets.put(it.account); BillingResponseCode.OK }
        val replies = listOf(phone.send("purchase", message("coins", "3")), phone.send("purchase", message("coins", "3")))
        val state = phone.ask("state", """{"stream":"stream-3"}""")
        // A sheet that opens after its end would be the next scenario's.
        sheets.next()
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
        val replies = phone.send("purchase", message("coins", "12", stream = ANN))
        val first = replies.next()
        phone.resume()
        phone.resume()
        val state = phone.ask("state", """{"stream":"$ANN"}""")
        phone.ask("state", """{"order":"13","stream":"$ANN_ANEW"}""")
        phone.resume()
        listOf(first, state, phone.ask("state", """{"stream":"$ANN"}"""), phone.posts(1), replies.size)
    },
    "a sheet without a word" to {
        val phone = Phone()
        val sheets = LinkedBlockingQueue<String>()
        Play.sheet = java.util.function.Function { sheets.put(it.account); BillingResponseCode.OK }
        val replies = phone.send("purchase", message("coins", "27"))
        sheets.next()
        phone.resume()
        val silent = replies.next()
        Play.sheet = java.util.function.Function { ends(BillingResponseCode.OK, emptyList()) }
        listOf(silent, phone.ask("state", OF_27), phone.ask("purchase", message("coins", "27")), phone.ask("state", OF_27))
    },
    "a sheet whose purchase is found" to {
        val phone = Phone()
        Play.sheet = java.util.function.Function {
            Play.purchases.add(Purchase("coins", "t28", it.account))
            ends(BillingResponseCode.OK)
        }
        listOf(phone.ask("purchase", message("coins", "28")), phone.posts(1))
    },
    "two users" to {
        val phone = Phone()
        val sheets = LinkedBlockingQueue<String>()
        Play.sheet = java.util.function.Function { sheets.put(it.account); BillingResponseCode.OK }
        val anns = phone.send("purchase", message("coins", "29", stream = ANN))
        sheets.next()
        val bobs = phone.ask("purchase", message("coins", "30", stream = BOB))
        val askers = listOf("""{"stream":"$BOB"}""", "{}", """{"order":"31","stream":"$ANN_ANEW"}""")
        val states = askers.map { phone.ask("state", it) }
        ends(BillingResponseCode.USER_CANCELED)
        listOf(bobs) + states + anns.next()
    },
    "nobody has asked" to {
        val phone = Phone(200 to GRANTED.replace("yours", "others"))
        Play.purchases.add(Purchase("pro", "t32", "32"))
        phone.ask("state", """{"stream":"$BOB"}""")
        phone.resume()
        listOf(phone.posts(1), phone.ask("state", """{"stream":"$BOB"}"""))
    },
    "a tap does not take what another user has bought" to {
        val phone = Phone(200 to GRANTED.replace("yours", "others"))
        Play.purchases.add(Purchase("pro", "t33", "32"))
        Play.sheet = java.util.function.Function { throw AssertionError("sold twice") }
        listOf(phone.ask("purchase", message("pro", "33", "year", stream = BOB)), phone.posts(1))
    },
    "killed after the tap" to {
        sells("coins", "t34")
        val first = Phone(503 to """{"error":"busy"}""")
        first.ask("purchase", message("coins", "34", stream = ANN))
        val second = first.killed()
        Play.purchases.add(Purchase("coins", "t34", "34"))
        second.ask("state", """{"stream":"$BOB"}""")
        second.start()
        second.posts(1)
    },
    "a short message" to {
        sells("coins", "t35")
        val phone = Phone()
        phone.ask("state", """{"stream":"stream-35"}""")
        listOf(phone.ask("purchase", """{"productId":"coins","userId":"35"}"""), phone.posts(1))
    },
    "not genuine" to {
        sells("coins", "t36")
        val phone = Phone(400 to """{"error":"not_genuine"}""")
        listOf(phone.ask("purchase", message("coins", "36")), phone.ask("state", """{"stream":"stream-36"}"""))
    },
    "nobody's" to {
        val phone = Phone(200 to GRANTED.replace("yours", "nobody"))
        Play.purchases.add(Purchase("coins", "t37", null))
        phone.ask("restore", """{"stream":"stream-37"}""")
    },
    "another page, a frame" to {
        val phone = Phone()
        val destination = object : HotwireDestination {
            override val fragment = Fragment()
            override val navigator = Navigator(NavigatorConfiguration("main", "https://shop.example.com/paywall", 1))
        }
        val component = PaywallComponent("paywall", BridgeDelegate("", destination))
        Activity.running = ShopApplication().also { it.purchases = phone.purchases }
        fun hears(url: String, event: String, json: String): String {
            component.replies.clear()
            Handler(null).post { component.didReceive(Message("1", "paywall", event, Metadata(url), json)) }
            phone.ask("state")
            return component.replies.joinToString { it.jsonData }
        }
        val own = "https://shop.example.com/plans"
        val answers = mutableListOf(hears(own, "state", """{"stream":"$ANN"}"""), WebView.script)
        answers += hears("https://shop.example.com.evil.test/plans", "state", "{}")
        WebView.answer = "false"
        answers + hears(own, "restore", """{"stream":"$BOB"}""")
    },
    "webhook first" to {
        sells("coins", "t13")
        Phone(200 to GRANTED.replace("applied", "ignored")).ask("purchase", message("coins", "13"))
    },
    "killed before the post" to {
        sells("coins", "t5")
        val first = Phone(503 to """{"error":"busy"}""", 503 to "")
        first.ask("purchase", message("coins", "5"))
        val second = first.killed()
        Play.purchases.add(Purchase("coins", "t5", "5"))
        second.start()
        second.posts(1)
    },
    "bought elsewhere" to {
        val phone = Phone()
        Play.purchases.add(Purchase("coins", "t6", "unknown"))
        phone.start()
        val state = phone.ask("state", """{"order":"6","stream":"stream-6"}""")
        // The user has logged out: whose page was there before is not who restores.
        val signedOut = phone.ask("restore", """{"order":"6"}""")
        listOf(state, signedOut, phone.ask("restore", """{"stream":"stream-6"}"""), phone.posts(1))
    },
    "another user restores" to {
        val phone = Phone(409 to """{"error":"owned_by_other"}""")
        Play.purchases.add(Purchase("coins", "t14", "14"))
        listOf(phone.ask("restore", """{"stream":"theirs"}"""), phone.posts(1))
    },
    "killed while it restores" to {
        val first = Phone(503 to """{"error":"busy"}""")
        Play.purchases.add(Purchase("coins", "t15", "unknown"))
        val offline = first.ask("restore", """{"stream":"stream-15"}""")
        val second = first.killed()
        Play.purchases.add(Purchase("coins", "t15", "unknown"))
        second.start()
        val posts = second.posts(1)
        val again = second.ask("restore", """{"stream":"stream-15"}""")
        listOf(offline, posts, again, ContextWrapper.preferences["t15"])
    },
    "nothing to restore" to { Phone().ask("restore", """{"stream":"stream-0"}""") },
    "paid later" to {
        sells("coins", "t7", Purchase.PurchaseState.PENDING)
        val phone = Phone()
        val replies = phone.send("purchase", message("coins", "7"))
        val answers = listOf(replies.next(), phone.posts(1), phone.ask("state", """{"stream":"stream-7"}"""))
        phone.settles("t7")
        Play.purchases[0].state = Purchase.PurchaseState.PURCHASED
        phone.resume()
        answers + listOf(phone.posts(1), replies.next())
    },
    "expired stream" to {
        sells("coins", "t8")
        val phone = Phone(403 to """{"error":"expired_stream_name"}""", 200 to GRANTED)
        val replies = phone.send("purchase", message("coins", "8", stream = ANN))
        val first = replies.next()
        phone.resume()
        phone.ask("state", """{"order":"9","stream":"$ANN_ANEW"}""")
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
    "no second try" to {
        Play.sheet = java.util.function.Function { ends(BillingResponseCode.BILLING_UNAVAILABLE) }
        val phone = Phone()
        val blocked = phone.ask("purchase", message("coins", "26"))
        Play.sheet = java.util.function.Function { BillingResponseCode.ITEM_UNAVAILABLE }
        listOf(blocked, phone.ask("purchase", message("coins", "26")))
    },
    "no Google Play" to {
        val phone = Phone()
        Play.code = BillingResponseCode.SERVICE_UNAVAILABLE
        listOf(phone.ask("purchase", message("coins", "11")), phone.ask("restore", """{"stream":"stream-11"}"""))
    },
    "nonsense" to {
        val phone = Phone()
        listOf("[]", "{}", """{"order":7}""").map { phone.ask("purchase", it) } + phone.ask("pay") +
            phone.ask("prices", """{"products":[]}""") + phone.ask("manage") + phone.ask("refund")
    }
)

fun main() {
    for (id in listOf("pro", "max", "news")) Play.products[id] = ProductType.SUBS
    Play.products["coins"] = ProductType.INAPP
    for ((name, scenario) in scenarios) println("$name: ${try { scenario() } catch (error: Throwable) { error }}")
    System.exit(0)
}
