// The page's own script; the libraries before it have set React, ReactDOM and GraphiQL.
const { React, ReactDOM, GraphiQL } = globalThis
const KEY = 'fairlead:key'
const FIRST_QUERY = `# API key above, then Ctrl+Enter
{
  session {
    account { name }
    key { name permissions }
  }
}
`

const field = document.getElementById('key')
// Kept for this tab only, so that a reload does not ask for it again.
field.value = sessionStorage.getItem(KEY) ?? ''
field.addEventListener('input', () => sessionStorage.setItem(KEY, field.value))

async function ask(parameters, { headers } = {}) {
  const key = field.value.trim()
  const response = await fetch('/graphql', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...(key && { 'X-API-Key': key }), ...headers },
    body: JSON.stringify(parameters),
  })
  return response.json()
}

const query = new URLSearchParams(location.search).get('query') ?? undefined
ReactDOM.createRoot(document.getElementById('graphiql')).render(
  React.createElement(GraphiQL, { fetcher: ask, defaultQuery: FIRST_QUERY, query }),
)
