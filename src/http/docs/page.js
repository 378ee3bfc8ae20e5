// The page's own script; the library before it has set Scalar. Whatever would ask another host is off.
const { Scalar } = globalThis

Scalar.createApiReference('#reference', {
  sources: JSON.parse(document.getElementById('reference').dataset.sources),
  agent: { disabled: true },
  mcp: { disabled: true },
  telemetry: false,
  withDefaultFonts: false,
  hideClientButton: true,
  showDeveloperTools: 'never',
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
  operationTitleSource: 'path',
  documentDownloadType: 'direct',
})
