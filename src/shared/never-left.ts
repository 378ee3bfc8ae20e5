// What Node's fetch (undici) says of connections that were never made.
const NEVER_LEFT = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'UND_ERR_CONNECT_TIMEOUT']

/** Whether an error of fetch with this code means that nothing left this machine. */
export const neverLeft = (code: string): boolean => NEVER_LEFT.includes(code)
