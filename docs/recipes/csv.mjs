/** The rows of a CSV text (RFC 4180) as objects by the names in its first line. */
export function rowsOf(text) {
  const lines = [[]]
  let field = ''
  let quoted = false
  const end = () => {
    lines.at(-1).push(field)
    field = ''
  }
  for (let i = 0; i < text.length; i++) {
    const c = text[i]
    if (quoted) {
      if (c !== '"') field += c
      else if (text[i + 1] === '"') field += text[++i]
      else quoted = false
    } else if (c === '"') quoted = true
    else if (c === ',') end()
    else if (c === '\n') {
      end()
      lines.push([])
    } else if (c !== '\r') field += c
  }
  end()
  const [names, ...rows] = lines.filter((line) => line.length > 1 || line[0] !== '')
  return rows.map((row) => Object.fromEntries(names.map((name, i) => [name.trim(), row[i] ?? ''])))
}
