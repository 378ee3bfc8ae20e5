/** Tells the time; whoever needs another than the system's, such as a test, gives its own. */
export type Clock = () => Date

/** The time of the machine. */
export const systemClock: Clock = () => new Date()
