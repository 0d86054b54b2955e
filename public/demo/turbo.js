// A stand-in for Turbo: the demo ships without @hotwired/turbo. On a page that loads it, its elements are registered
// already and nothing here runs. It follows https://turbo.hotwired.dev/reference/streams, without morphing and scripts.

class StreamSource extends HTMLElement {
    connectedCallback() {
        const src = this.getAttribute("src")
        this.streamSource = /^wss?:/i.test(src) ? new WebSocket(src) : new EventSource(src)
        this.streamSource.onmessage = ({ data }) => {
            if (typeof data !== "string") return
            const template = document.createElement("template")
            template.innerHTML = data
            document.documentElement.append(...template.content.querySelectorAll("turbo-stream"))
        }
    }

    disconnectedCallback() {
        this.streamSource.close()
    }
}

class Stream extends HTMLElement {
    async connectedCallback() {
        const detail = { newStream: this, render: perform }
        const announcement = new CustomEvent("turbo:before-stream-render", { bubbles: true, cancelable: true, detail })
        try {
            if (!this.dispatchEvent(announcement)) return
            await new Promise((next) => (document.hidden ? setTimeout(next) : requestAnimationFrame(next)))
            await detail.render(this)
        } catch (error) {
            console.error(error)
        } finally {
            this.remove()
        }
    }
}

/** What each action does to one element; `content` is a fresh copy of the template. */
const actions = {
    replace: (node, content) => node.replaceWith(content),
    update: (node, content) => node.replaceChildren(content),
    remove: (node) => node.remove(),
    append: (node, content) => (withoutTwins(node.children, content), node.append(content)),
    prepend: (node, content) => (withoutTwins(node.children, content), node.prepend(content)),
    before: (node, content) => (withoutTwins(node.parentElement.children, content), node.before(content)),
    after: (node, content) => (withoutTwins(node.parentElement.children, content), node.after(content)),
}

function withoutTwins(children, content) {
    const ids = new Set([...content.children].map((child) => child.id).filter(Boolean))
    for (const child of [...children]) if (ids.has(child.id)) child.remove()
}

let reload
async function perform(stream) {
    const action = stream.getAttribute("action")
    if (action === "refresh") {
        clearTimeout(reload)
        reload = setTimeout(() => location.reload(), 150)
        return
    }
    if (!Object.hasOwn(actions, action)) throw new Error(`<turbo-stream>: unknown action "${action}"`)
    const id = stream.getAttribute("target")
    const nodes = id ? [document.getElementById(id)] : document.querySelectorAll(stream.getAttribute("targets"))
    const template = stream.querySelector("template") ?? document.createElement("template")
    for (const node of nodes) if (node) actions[action](node, document.importNode(template.content, true))
}

if (!customElements.get("turbo-stream-source")) {
    customElements.define("turbo-stream", Stream)
    customElements.define("turbo-stream-source", StreamSource)
}
