// Stands before every script of a page, and counts what goes on in it: turns of its observers, and changes of the document.
// An observer that hears itself would keep the renderer for ever: here it is cut off, so that the page can tell of it.
{
  const most = 1000
  let turns = 0, changes = 0
  const Genuine = window.MutationObserver
  window.MutationObserver = class extends Genuine {
    constructor(callback) {
      super((records, observer) => {
        turns += 1
        if (turns > most) observer.disconnect()
        else callback(records, observer)
      })
    }
  }
  new Genuine(records => changes += records.length)
    .observe(document, { subtree: true, childList: true, characterData: true, attributes: true })

  // A turn of the event loop is 4 ms at least: a page that has not come to rest by the 25th takes longer than 100 ms.
  // `long`: how many of them nothing may happen in. Eight are two frames.
  window.rest = async (long = 2) => {
    for (let turn = 0, still = 0; turn < 25; turn++) {
      const before = turns + changes
      await new Promise(resolve => setTimeout(resolve))
      if (turns > most) throw new Error("An observer hears itself.")
      still = before === turns + changes ? still + 1 : 0
      if (still < long) continue
      turns = changes = 0
      return
    }
    throw new Error(`No rest: ${turns} turns of observers and ${changes} changes.`)
  }
}
