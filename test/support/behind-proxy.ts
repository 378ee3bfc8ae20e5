import pg from 'pg'
import type { Config } from '../../src/config.js'
import { startTestApp, type TestApp } from './app.js'
import { createDatabase } from './cluster.js'
import { type NetworkProxy, startProxy } from './proxy.js'

/** The service on a database that it reaches only through a proxy of the test's. */
export interface BehindProxy {
  own: Awaited<ReturnType<typeof createDatabase>>
  proxy: NetworkProxy
  service: TestApp
  /** Goes past the proxy and the service's pool. */
  direct: pg.Client
  stop(): Promise<void>
}

/** Starts the service with a network that can be made to fail between it and its database. */
export async function startBehindProxy(settings: Partial<Config>): Promise<BehindProxy> {
  const own = await createDatabase()
  const address = new URL(own.url)
  const port = Number(address.port)
  const proxy = await startProxy(() => port)
  address.port = String(proxy.port)
  const service = await startTestApp({ databaseUrl: address.href, ...settings })
  const direct = new pg.Client({ connectionString: own.url })
  await direct.connect()
  return {
    ...{ own, proxy, service, direct },
    stop: async () => {
      await service.stop()
      await direct.end()
      await proxy.close()
      await own.drop()
    },
  }
}
