import { startTestApp } from '../support/app.js'
import { filling } from '../support/chat/index.js'
import { composerContract } from '../support/composer-contract.js'
import { saying, startAiService } from '../support/talking.js'

composerContract("an agent's own texts", async () => {
  const service = await startTestApp()
  return { service, expects: () => {}, stop: () => service.stop() }
})

composerContract('a model', async () => {
  const ai = await startAiService()
  return {
    service: ai.service,
    expects: (reply, found, hasCriteria) =>
      ai.chat.say(hasCriteria ? saying(reply, found) : filling({ reply, hand_over: false })),
    stop: () => ai.stop(),
  }
})
