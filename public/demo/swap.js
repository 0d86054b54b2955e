// How a swap looks: all changes of one message are one transition. Afterwards the keyboard is where it was, or at the
// heading of what took its place, and on a small screen the card is in view.

const calm = matchMedia("(prefers-reduced-motion: reduce)")
let batch = []

/** Calls `swapped` after each message's changes. */
export function animateSwaps(swapped) {
    // Turbo announces every change before it makes it, and so does the stand-in in turbo.js.
    document.addEventListener("turbo:before-stream-render", (event) => {
        const { render } = event.detail
        event.detail.render = (stream) =>
            new Promise((done, fail) => {
                batch.push(() => keepingFocus(stream, render).then(done, fail))
                if (batch.length === 1) setTimeout(flush, 0, swapped)
            })
    })
}

function flush(swapped) {
    const changes = batch
    batch = []
    const run = async () => {
        await Promise.allSettled(changes.map((change) => change()))
        swapped()
        showCard()
    }
    // A hidden page makes no transition, but it changes all the same.
    if (!document.startViewTransition || calm.matches || document.hidden) return run()
    document.startViewTransition(run).ready.catch(() => {})
}

async function keepingFocus(stream, render) {
    const target = () => document.getElementById(stream.getAttribute("target"))
    const focused = document.activeElement
    // A page inside another one has a focused element even while the keyboard is outside.
    const hadFocus = target()?.contains(focused) && (window.parent === window || document.hasFocus())
    await render(stream)
    if (!hadFocus || focused.isConnected) return
    const heading = target()?.querySelector("h1, h2, h3")
    heading?.setAttribute("tabindex", "-1")
    heading?.focus({ preventScroll: true })
}

function showCard() {
    // Whoever is busy with the phone looks at the phone.
    if (document.activeElement?.closest("[data-keeps-view]")) return
    const heading = document.querySelector("#paywall h2")
    const { top, bottom } = heading?.getBoundingClientRect() ?? {}
    if (top >= 0 && bottom <= innerHeight) return
    heading?.closest("#paywall").scrollIntoView({ behavior: calm.matches ? "auto" : "smooth" })
}
