import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { OpenAiChat } from '../../../src/integrations/chat/index.js'

const SCRIPT = fileURLToPath(new URL('../../../scripts/chat-local.mjs', import.meta.url))

let child: ChildProcess
afterEach(async () => {
  if (child.exitCode === null && child.signalCode === null) {
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
})

test('npm run chat:local is a chat API whose model says what is typed', async () => {
  child = spawn(process.execPath, [SCRIPT, '--port', '0'], { stdio: ['pipe', 'pipe', 'inherit'] })
  let said = ''
  child.stdout!.on('data', (chunk) => {
    said += chunk
  })
  while (!said.includes('/fault KIND')) await once(child.stdout!, 'data')
  const apiBase = /http:\/\/127\.0\.0\.1:\d+\/v1/.exec(said)![0]
  expect(said).toContain(`AI_API_BASE=${apiBase} AI_API_KEY=local_key AI_MODEL=local npm start`)
  const schema = {
    type: 'object',
    properties: { reply: { type: ['string', 'null'] } },
    required: ['reply'],
    additionalProperties: false,
  }
  const model = new OpenAiChat({ apiBase, apiKey: 'local_key', model: 'local' })
  const ask = () =>
    model.ask({ instructions: 'You are Sofia.', data: '{"said":[]}', form: { name: 'answer', schema }, maxTokens: 100 })
  expect(await ask()).toMatchObject({ outcome: 'answered', text: '{"reply":"Thanks for your message!"}' })
  child.stdin!.write('Olá!\n')
  let answer = await ask()
  // What is typed arrives when it does.
  for (let i = 0; i < 50 && !('text' in answer && answer.text.includes('Olá')); i++) answer = await ask()
  expect(answer).toMatchObject({ outcome: 'answered', text: '{"reply":"Olá!"}' })
  expect(said).toContain('You are Sofia.')
  child.stdin!.write('/fault quota\n')
  for (let i = 0; i < 50 && answer.outcome !== 'refused'; i++) answer = await ask()
  expect(answer.outcome).toBe('refused')
})
