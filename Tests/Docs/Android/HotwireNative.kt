// The part of hotwire-native-android that the documentation's Kotlin uses, after its source at 1.3.1:
// https://github.com/hotwired/hotwire-native-android/tree/main/core/src/main/kotlin/dev/hotwire/core/bridge

package dev.hotwire.core.bridge

interface BridgeDestination

class BridgeDelegate<D : BridgeDestination>(val location: String, val destination: D)

data class Metadata(val url: String)

data class Message(
    val id: String,
    val component: String,
    val event: String,
    val metadata: Metadata?,
    val jsonData: String
) {
    fun replacing(event: String = this.event, jsonData: String = this.jsonData) =
        copy(event = event, jsonData = jsonData)
    inline fun <reified T> replacing(event: String = this.event, data: T): Message = this
}

abstract class BridgeComponent<in D : BridgeDestination>(val name: String, private val delegate: BridgeDelegate<D>) {
    private val received = mutableMapOf<String, Message>()
    /** What the page hears. */
    val replies = mutableListOf<Message>()

    protected fun receivedMessageFor(event: String): Message? = received[event]
    abstract fun onReceive(message: Message)
    fun didReceive(message: Message) {
        received[message.event] = message
        onReceive(message)
    }
    fun replyWith(message: Message): Boolean = replies.add(message)
}

class BridgeComponentFactory<D : BridgeDestination, out C : BridgeComponent<D>>(
    val name: String,
    private val creator: (name: String, delegate: BridgeDelegate<D>) -> C
)
