import { defineNeed } from '../database/index.js'
import type { Cipher } from '../shared/cipher.js'

/** What seals stored secrets, which the start of the process provides. */
export const cipher = defineNeed<{ get(): Cipher }>('cipher')
