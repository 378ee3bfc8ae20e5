import { Command } from 'commander'
import { wholeNumber } from './arguments.js'
import type { Environment } from './environment.js'
import { withEnvironment } from './environment.js'
import { print } from './output.js'

interface CreateOptions {
  name: string
  seatPriceCents?: number
  currency?: string
  paymentMethod: string
  json?: boolean
}

export function agencyCommand(): Command {
  const command = new Command('agency').description('Manage agencies')
  command
    .command('create')
    .description('Create an agency; its billing cycles are counted from this moment')
    .requiredOption('--name <name>', 'the name of the agency')
    .option(
      '--seat-price-cents <number>',
      "a seat's price for a month in the smallest unit; 4900 if left out",
      wholeNumber,
    )
    .option('--currency <code>', 'the currency of its charges; BRL if left out')
    .option(
      '--payment-method <name>',
      'the card on file, such as pm_card_visa or, to see declined charges, pm_card_chargeDeclined; or none',
      'pm_card_visa',
    )
    .option('--json', 'print one JSON object: {agency_id, agency_key}')
    .action(create)
  return command
}

function create({ name, seatPriceCents, currency, paymentMethod, ...options }: CreateOptions): Promise<void> {
  return withEnvironment({}, async (environment: Environment) => {
    const [{ Agencies }, { cardToKeep }, { openIntegrations }] = await Promise.all([
      import('../domains/agencies/index.js'),
      import('../integrations/billing/index.js'),
      import('../open-integrations.js'),
    ])
    const { billing } = openIntegrations(environment.database, environment.config)
    const card = paymentMethod === 'none' ? undefined : paymentMethod
    const agencies = new Agencies(environment.database, billing)
    const agency = await agencies.create({ name, seatPriceCents, currency, paymentMethod: card })
    const kept = card && cardToKeep(card)
    const note = `${card} is declined already when it is put on file: ${kept}, which is declined when it is charged, stands in for it.`
    if (kept !== card) console.error(`fairlead: ${note}`)
    const lines = [
      `Agency ${agency.id} was created. Its key, which stands in the addresses of its API:`,
      agency.agencyKey,
    ]
    print({ agency_id: agency.id, agency_key: agency.agencyKey }, options, lines)
  })
}
