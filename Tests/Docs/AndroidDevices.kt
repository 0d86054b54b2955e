// Devices of one Google account, with the Kotlin of Android.md and a real server. Each line that comes in is a process of the app,
// as JSON; a line tells what came of it.

package com.example.shop

import android.content.ContextWrapper
import com.android.billingclient.api.BillingClient.ProductType
import com.android.billingclient.api.Play
import com.android.billingclient.api.Purchase
import org.json.JSONArray
import org.json.JSONObject
import java.net.HttpURLConnection
import java.net.URL

/** What is on the disk of each device. */
private val disks = mutableMapOf<String, MutableMap<String, String>>()

/** Passes a post on. */
private fun pass(post: JSONObject, server: String): Pair<Int, String> {
    val connection = URL("$server/transactions/google").openConnection() as HttpURLConnection
    connection.doOutput = true
    connection.outputStream.use { it.write(post.toString().toByteArray()) }
    val status = connection.responseCode
    val input = if (status < 400) connection.inputStream else connection.errorStream
    return status to input.use { it.reader().readText() }
}

/**
 * `stream`: of the page in front. `listed`: what Google Play lists of the account, each with `token` and `account`; nobody has
 * acknowledged it, so that each start posts it. `buy`: the page's message, and the `token` that the sheet brings. `restore`: a tap.
 * Without a `server`, it is away. Tells what the tap was answered, and of each post whether it was asked for, and how it ended.
 */
private fun live(process: JSONObject): JSONObject {
    val told = JSONArray()
    val server = ScriptedServer { post ->
        val answer = if (process.has("server")) pass(post, process.getString("server")) else 429 to """{"error":"busy"}"""
        val claim = JSONObject(answer.second).optString("claim")
        synchronized(told) { told.put("${if (post.has("asked")) "asked " else ""}${answer.first} $claim".trim()) }
        answer
    }
    ContextWrapper.preferences = disks.getOrPut(process.getString("device")) { mutableMapOf() }
    val listed = process.getJSONArray("listed")
    val owned = (0 until listed.length()).map { listed.getJSONObject(it) }
    Play.purchases.clear()
    Play.purchases += owned.map { Purchase("pro", it.getString("token"), it.getString("account")) }
    val phone = Phone(server)
    val page = JSONObject().put("stream", process.getString("stream")).toString()
    phone.start()
    phone.ask("state", page)
    phone.posts(owned.size)
    process.optJSONObject("buy")?.let { sells("pro", it.getString("token")) }
    val answer = process.optJSONObject("buy")?.let { phone.ask("purchase", it.toString()) }
        ?: if (process.has("restore")) phone.ask("restore", page) else null
    // What was asked for is forgotten once the server has it.
    if (process.has("server")) owned.forEach { phone.settles(it.getString("token")) }
    return synchronized(told) { JSONObject().put("answer", answer).put("posts", told) }
}

object AndroidDevices {
    @JvmStatic
    fun main(arguments: Array<String>) {
        Play.products["pro"] = ProductType.SUBS
        for (line in generateSequence(::readLine)) {
            println(live(JSONObject(line)))
            System.out.flush()
        }
        System.exit(0)
    }
}
