// What happens around the phone: its connection, when Apple's webhook comes, and whether a parent has to agree. The
// controls beside the phone show it and change it.

import { File } from "./disk.js"

const file = new File("world")
const form = document.getElementById("world")

/** Calls `changed` whenever the phone loses or finds its connection, until the signal ends that. */
export function watchConnection(changed, { signal } = {}) {
    let was = world.isOnline
    const look = () => {
        if (world.isOnline === was) return
        was = world.isOnline
        changed(was)
    }
    for (const type of ["change", "connection"]) form.addEventListener(type, look, { signal })
}

export const world = {
    /** `online`; `drops`: it goes as soon as something is paid; `airplane`. */
    get connection() {
        return form.elements.connection.value
    },
    set connection(value) {
        form.elements.connection.value = value
        keep()
        form.dispatchEvent(new Event("connection"))
    },
    get isOnline() {
        return this.connection !== "airplane"
    },
    /** `first`: before the app hears of the purchase; `after`: a moment later; `held`: when somebody sends it. */
    get webhook() {
        return form.elements.webhook.value
    },
    get asksParent() {
        return form.elements.parent.checked
    },
}

const keep = () =>
    file.put({ id: "world", connection: world.connection, webhook: world.webhook, parent: world.asksParent })

for (const known of file.items) {
    form.elements.connection.value = known.connection
    form.elements.webhook.value = known.webhook
    form.elements.parent.checked = known.parent
}
form.addEventListener("change", keep)
