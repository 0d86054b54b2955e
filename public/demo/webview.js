// A page inside the phone: it loses its connection when the phone does, and tells the phone what it shows.

const tell = (fact) => window.parent.postMessage(fact, location.origin)

let unplugged

/** Taken out of the page, a source closes its connection; put back, it asks for what it has missed since its cursor. */
function setOnline(isOnline) {
    const source = document.querySelector("turbo-stream-source") ?? unplugged
    if (!source || source.isConnected === isOnline) return
    if (isOnline) document.body.prepend(source)
    else source.remove()
    unplugged = isOnline ? null : source
}

export function joinPhone() {
    window.addEventListener("message", ({ source, origin, data }) => {
        if (source === window.parent && origin === location.origin && "isOnline" in data) setOnline(data.isOnline)
    })
    tell({ isReady: true })
}

/** Each swap is a line of the phone's timeline. */
export const tellSwap = () => tell({ swaps: true })
