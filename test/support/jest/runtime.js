// Jest's runtime without its module sandbox. The sandbox loads the program and its 1,700 modules anew for every test
// file, which took more time than most tests; here a worker's Node.js loads them once, as it does in production. What
// Jest keeps for a test file – its state, its hooks, its timers – is fresh all the same.
import { createRequire } from 'node:module'
import { sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import { setCurrent, sourceMaps } from './modules.js'

const require = createRequire(import.meta.url)
const CIRCUS = `${sep}jest-circus${sep}`
const TIMEOUT = Symbol.for('TEST_TIMEOUT_SYMBOL')
const STATE_OF_A_FILE = ['EVENT_HANDLERS', 'TEST_TIMEOUT_SYMBOL', 'RETRY_TIMES'].map((name) => Symbol.for(name))

/** What jest-runner and jest-circus ask of a runtime. */
export default class NativeRuntime {
  constructor(_config, environment, _resolver, transformer) {
    setCurrent({ transformer, jest: jestObject(environment) })
    for (const symbol of STATE_OF_A_FILE) delete globalThis[symbol]
    for (const name of Object.keys(require.cache)) if (name.includes(CIRCUS)) delete require.cache[name]
  }

  unstable_shouldLoadAsEsm() {
    return true
  }

  unstable_importModule(path) {
    return import(pathToFileURL(path).href)
  }

  requireInternalModule(path) {
    return require(path)
  }

  requireModule(path) {
    return require(path)
  }

  getSourceMaps() {
    return sourceMaps
  }

  // `jest` comes through modules.js, the other globals from the environment.
  setGlobalsForRuntime() {}

  // The sandbox forbids some calls between tests; there is none.
  enterTestCode() {}

  leaveTestCode() {}

  getAllCoverageInfoCopy() {}

  teardown() {}
}

/** Of `jest` what works without a sandbox; mocking modules does not. */
function jestObject({ moduleMocker, fakeTimersModern: timers }) {
  const { fn, spyOn, replaceProperty, restoreAllMocks } = moduleMocker
  return {
    fn: fn.bind(moduleMocker),
    spyOn: spyOn.bind(moduleMocker),
    replaceProperty: replaceProperty.bind(moduleMocker),
    restoreAllMocks: restoreAllMocks.bind(moduleMocker),
    setTimeout: (ms) => {
      globalThis[TIMEOUT] = ms
    },
    useFakeTimers: (options) => timers.useFakeTimers(options),
    useRealTimers: () => timers.useRealTimers(),
    setSystemTime: (now) => timers.setSystemTime(now),
    advanceTimersByTime: (ms) => timers.advanceTimersByTime(ms),
    advanceTimersByTimeAsync: (ms) => timers.advanceTimersByTimeAsync(ms),
  }
}
