"""What a morph does to a source element when the account was switched at the same address."""

import re

HEAD = '<meta name="turbo-refresh-method" content="morph"><meta name="turbo-refresh-scroll" content="preserve">'
REFRESH = '<turbo-stream action="refresh"></turbo-stream>'

# A morph of an element that stays: that is every one without an id, and before Turbo 8.0.13 also one with another id. It
# changes only what differs.
CHANGE = """markup => {
    const template = document.createElement("template")
    template.innerHTML = markup
    const [to] = template.content.children
    const element = document.querySelector(to.localName)
    for (const { name, value } of to.attributes) {
        if (element.getAttribute(name) !== value) element.setAttribute(name, value)
    }
}"""


def replaces_other_ids(turbo):
    version = re.search(r"Turbo (\d+)\.(\d+)\.(\d+)", turbo.read_text()).groups()
    return tuple(map(int, version)) >= (8, 0, 13)
