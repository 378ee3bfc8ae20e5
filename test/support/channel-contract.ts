import type { Addressee, Line, MessagingChannel, Outgoing } from '../../src/integrations/channels/index.js'

/** A message as it arrived at the provider: whom it was for, and its text or the name of its template. */
export interface ArrivedMessage {
  to: string
  says: string
  parameters?: readonly string[]
}

/** An adapter under test, with people whom it treats as the contract names them. */
export interface ChannelUnderTest {
  channel: MessagingChannel
  line: Line
  /** The same with a token that opens nothing. */
  revoked: Line
  /** What a check of the line tells of it. */
  address: string
  /** The name of an approved template with two parameters. */
  template: string
  /** Somebody who has just written. */
  writer: Addressee
  /** Somebody who has not written within 24 hours. */
  silent: Addressee
  /** Somebody whom a user id names, and who has just written. */
  hidden: Addressee
  group: Addressee
  /** Somebody whom nothing can be sent to. */
  nobody: Addressee
  /** The provider has no time for the next message to this person, and says for how long, where it says so. */
  busy(): { to: Addressee; retryAfterMs?: number }
  /** The answer to the next message to this person gets lost. */
  lost(): Addressee
  /** The provider has time again, and answers. */
  calm(): void
  /** The messages that arrived, in their order. */
  arrived(): Promise<ArrivedMessage[]>
  stop(): Promise<void>
}

/** What every adapter of a channel with a window holds to: each of them runs these tests. */
export function channelContract(name: string, start: () => Promise<ChannelUnderTest>): void {
  describe(`the contract of channels, kept by ${name}`, () => {
    let under: ChannelUnderTest
    beforeEach(async () => {
      under = await start()
    })
    afterEach(() => under.stop())

    const idOf = (to: Addressee) => Object.values(to)[0] as string
    const text = (body: string): Outgoing => ({ kind: 'text', text: body })
    const opening = (): Outgoing => ({
      kind: 'template',
      name: under.template,
      language: 'pt_BR',
      parameters: ['Ana', 'Norte'],
    })
    const send = (to: Addressee, message: Outgoing, line = under.line) => under.channel.send(line, to, message)
    const accepted = { outcome: 'accepted', messageId: expect.stringMatching(/^\S+$/) }
    const refused = { outcome: 'refused', reason: expect.stringMatching(/\w/) }

    test('a check tells whether the token opens the line, and sends nothing', async () => {
      const { channel, line, revoked, address } = under
      expect(await channel.check(line)).toMatchObject({ outcome: 'connected', address })
      expect(await channel.check(revoked)).toEqual(refused)
      expect(await under.arrived()).toEqual([])
    })

    test('a template opens a conversation with somebody who has not written, its parameters in their order', async () => {
      expect(await send(under.silent, opening())).toMatchObject(accepted)
      expect(await under.arrived()).toEqual([
        { to: idOf(under.silent), says: under.template, parameters: ['Ana', 'Norte'] },
      ])
    })

    test('a text goes to whoever has just written, by phone or user id, and to a group', async () => {
      const whom = [under.writer, under.hidden, under.group]
      for (const to of whom) expect(await send(to, text(`Olá – ação 👋\n${idOf(to)}`))).toMatchObject(accepted)
      expect(await under.arrived()).toEqual(whom.map((to) => ({ to: idOf(to), says: `Olá – ação 👋\n${idOf(to)}` })))
    })

    test('a text is told that the window is closed, and does not arrive; a template then does', async () => {
      expect(under.channel.hasWindow).toBe(true)
      const closed = { outcome: 'window closed', reason: expect.stringMatching(/24 hours/) }
      expect(await send(under.silent, text('Olá'))).toEqual(closed)
      expect(await under.arrived()).toEqual([])
      expect(await send(under.silent, opening())).toMatchObject(accepted)
    })

    test('who cannot be sent to is refused, and nobody is to mend that', async () => {
      const sent = await send(under.nobody, opening())
      expect(sent).toMatchObject(refused)
      expect(sent).not.toMatchObject({ ourFault: true })
      expect(await under.arrived()).toEqual([])
    })

    test('a token that opens nothing is refused, ours to mend, and is told to nobody', async () => {
      const sent = await send(under.writer, text('Olá'), under.revoked)
      expect(sent).toMatchObject({ ...refused, ourFault: true })
      expect(JSON.stringify(sent)).not.toContain(under.revoked.token)
      expect(await under.arrived()).toEqual([])
    })

    test('a provider without time is asked once, and nothing has arrived; later it does', async () => {
      const { to, retryAfterMs } = under.busy()
      const sent = await send(to, opening())
      expect(sent).toEqual({
        outcome: 'later',
        reason: expect.stringMatching(/\w/),
        ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
      })
      expect(await under.arrived()).toEqual([])
      under.calm()
      expect(await send(under.writer, opening())).toMatchObject(accepted)
    })

    test('a lost answer is not known, and the adapter sends nothing again by itself', async () => {
      expect(await send(under.lost(), opening())).toEqual({ outcome: 'unknown', reason: expect.stringMatching(/\w/) })
      under.calm()
      await send(under.writer, text('next'))
      const says = (await under.arrived()).map((message) => message.says)
      expect(says).toEqual([under.template, 'next'])
    })

    test('each call is a message of its own: the same twice arrives twice, under two ids', async () => {
      const both = [await send(under.writer, text('Olá')), await send(under.writer, text('Olá'))]
      expect(both).toMatchObject([accepted, accepted])
      expect(new Set(both.map((sent) => 'messageId' in sent && sent.messageId)).size).toBe(2)
      expect(await under.arrived()).toHaveLength(2)
    })

    test('messages that are sent at once all arrive, each once and under an id of its own', async () => {
      const texts = Array.from({ length: 30 }, (_, i) => `number ${i}`)
      const sent = await Promise.all(texts.map((body) => send(under.writer, text(body))))
      expect(new Set(sent.map((one) => 'messageId' in one && one.messageId)).size).toBe(30)
      expect(sent.every(({ outcome }) => outcome === 'accepted')).toBe(true)
      expect((await under.arrived()).map(({ says }) => says).toSorted()).toEqual(texts.toSorted())
    })
  })
}
