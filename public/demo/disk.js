// What outlives a page: each tab is a phone with a disk of its own, for each user. A new ledger begins with new phones,
// because purchases of an old one mean nothing to it.

const { epoch, user } = document.body.dataset
const name = (file) => `paycast-demo/${epoch}/${user}/${file}`

for (const key of Object.keys(sessionStorage)) {
    if (key.startsWith("paycast-demo/") && !key.startsWith(`paycast-demo/${epoch}/`)) sessionStorage.removeItem(key)
}

/** A file with a list of things, each with an id. */
export class File {
    constructor(title) {
        this.name = name(title)
    }

    get items() {
        return JSON.parse(sessionStorage.getItem(this.name)) ?? []
    }

    /** Adds the item, or replaces the one with its id. */
    put(item) {
        this.#write([...this.items.filter(({ id }) => id !== item.id), item])
    }

    remove(id) {
        this.#write(this.items.filter((item) => item.id !== id))
    }

    erase() {
        sessionStorage.removeItem(this.name)
    }

    #write(items) {
        sessionStorage.setItem(this.name, JSON.stringify(items))
    }
}
