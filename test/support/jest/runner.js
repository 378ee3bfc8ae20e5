import TestRunner from 'jest-runner'

/**
 * Jest's own runner, but always with child processes: modules are loaded once for a process (see runtime.js), and a
 * watching Jest that ran tests in its own would never see a change.
 */
export default class ChildProcessRunner extends TestRunner {
  runTests(tests, watcher, options) {
    return super.runTests(tests, watcher, { ...options, serial: false })
  }
}
