// Runs before the library, which styles itself in two ways that the page's policy does not allow: by style elements
// without its nonce, and by style attributes. The first get the nonce, the second become what scripts may set.
const { nonce } = document.querySelector('meta[property=csp-nonce]')
const createElement = document.createElement.bind(document)
document.createElement = (name, options) => {
  const element = createElement(name, options)
  if (element instanceof HTMLStyleElement) element.nonce = nonce
  return element
}

const { setAttribute } = Element.prototype
Element.prototype.setAttribute = function (name, value) {
  if (name === 'style' && this.style) this.style.cssText = value
  else setAttribute.call(this, name, value)
}

// What the library lacks for keyboards and screen readers: code that scrolls can be reached, a field that completes what
// is typed says whether its list is open, a button is one.
const REPAIRS = [
  ['code.custom-scroll:not([tabindex])', (element) => setAttribute.call(element, 'tabindex', '0')],
  ['[role=combobox]:not([aria-expanded])', (element) => setAttribute.call(element, 'aria-expanded', 'false')],
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
