import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  CHANNEL_KINDS,
  type Outgoing,
  REVOKED_TOKEN,
  SANDBOX_ENDINGS,
  SandboxChannel,
  WhatsAppChannel,
} from '../../src/integrations/channels/index.js'
import { channelContract } from '../support/channel-contract.js'
import { startLocalWhatsApp } from '../support/whatsapp/index.js'

for (const kind of CHANNEL_KINDS) {
  channelContract(`the sandbox of ${kind}`, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'fairlead-channel-'))
    const endsIn = (ending: string) => ({ phone: `551198765${ending}` })
    const lines = async () => (await readFile(join(folder, `${kind}.jsonl`), 'utf8').catch(() => '')).split('\n')
    return {
      channel: new SandboxChannel(folder, kind, true),
      line: { kind, numberId: '1234', token: 'sandbox' },
      revoked: { kind, numberId: '1234', token: REVOKED_TOKEN },
      address: '1234',
      template: 'opening',
      writer: endsIn('4321'),
      silent: endsIn(SANDBOX_ENDINGS.windowClosed),
      hidden: { userId: 'BR.139300005555' },
      group: { groupId: 'Y2FwaV9ncm91cDox' },
      nobody: endsIn(SANDBOX_ENDINGS.refused),
      busy: () => ({ to: endsIn(SANDBOX_ENDINGS.later) }),
      lost: () => endsIn(SANDBOX_ENDINGS.unknown),
      calm: () => {},
      arrived: async () =>
        (await lines())
          .filter((one) => one !== '')
          .map((one) => JSON.parse(one) as { to: object; message: Outgoing })
          .map(({ to, message }) => ({
            to: Object.values(to)[0] as string,
            ...(message.kind === 'text'
              ? { says: message.text }
              : { says: message.name, parameters: message.parameters }),
          })),
      stop: () => rm(folder, { recursive: true }),
    }
  })
}

interface SentBody {
  to?: string
  recipient?: string
  text?: { body: string }
  template?: { name: string; components: { parameters: { text: string }[] }[] }
}

channelContract('WhatsApp', async () => {
  const whatsapp = await startLocalWhatsApp()
  const number = whatsapp.addNumber()
  whatsapp.addTemplate({ name: 'opening', body: 'Olá {{1}}, aqui é a {{2}}.' })
  const channel = new WhatsAppChannel(whatsapp.base)
  const line = { kind: 'whatsapp', numberId: number.id, token: number.token } as const
  const writer = { phone: '5511987654321' }
  const hidden = whatsapp.addPerson({ hidden: true })
  for (const person of [whatsapp.addPerson(writer), hidden]) whatsapp.says(person, number, 'Oi')
  return {
    channel,
    line,
    revoked: { ...line, token: 'a_stale_token' },
    address: number.display,
    template: 'opening',
    writer,
    silent: { phone: '5511911112222' },
    hidden: { userId: hidden.userId },
    group: { groupId: whatsapp.addGroup('Y2FwaV9ncm91cDox') },
    nobody: { userId: 'BR.404' },
    busy: () => {
      whatsapp.disturb({ kind: 'busy', retryAfter: 7 })
      return { to: writer, retryAfterMs: 7000 }
    },
    lost: () => {
      whatsapp.disturb({ kind: 'reset_after' })
      return writer
    },
    calm: () => whatsapp.calm(),
    arrived: async () =>
      whatsapp.world.sent
        .map(({ body }) => body as SentBody)
        .map(({ to, recipient, text, template }) => ({
          to: (to ?? recipient)!,
          ...(template
            ? { says: template.name, parameters: template.components[0]!.parameters.map((one) => one.text) }
            : { says: text!.body }),
        })),
    stop: async () => {
      channel.close()
      await whatsapp.stop()
    },
  }
})
