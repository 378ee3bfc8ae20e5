// Runs before the library, which makes some of its style elements without the nonce that the page's policy asks for.
const { nonce } = document.querySelector('meta[property=csp-nonce]')
const createElement = document.createElement.bind(document)
document.createElement = (name, options) => {
  const element = createElement(name, options)
  if (element instanceof HTMLStyleElement) element.nonce = nonce
  return element
}

// What the library lacks for keyboards and screen readers: code that scrolls can be reached, a field that completes what
// is typed says whether its list is open, a button is one.
const REPAIRS = [
  ['code.custom-scroll:not([tabindex])', (element) => element.setAttribute('tabindex', '0')],
  ['[role=combobox]:not([aria-expanded])', (element) => element.setAttribute('aria-expanded', 'false')],
  ['button[role=none]', (element) => element.removeAttribute('role')],
]
let due = false
new MutationObserver(() => {
  if (due) return
  due = true
  requestAnimationFrame(() => {
    due = false
    for (const [selector, repair] of REPAIRS) document.querySelectorAll(selector).forEach(repair)
  })
}).observe(document, { subtree: true, childList: true })
