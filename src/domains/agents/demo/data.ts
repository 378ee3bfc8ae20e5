/** What the demo account's agents say and go by. */
const TALK = {
  persona: 'Friendly and brief; asks one thing at a time and never promises a price.',
  opening: 'Hello {{first_name}}, this is {{agent_name}} of Fairlead. May I ask you two questions about {{company}}?',
  openingTemplate: { name: 'first_contact', language: 'en', parameters: ['{{first_name}}', '{{company}}'] },
  scripts: [
    {
      keywords: ['price', 'cost', 'how much'],
      reply: 'It depends on the size of your team, {{first_name}}. How many are you?',
    },
    { keywords: ['meeting', 'call', 'talk'], reply: 'Gladly: which day suits you?' },
  ],
  fallback: 'Thank you, {{first_name}}. A colleague of mine will get back to you.',
  criteria: [
    { name: 'Has a budget', keywords: ['budget', 'invest'], points: 40 },
    { name: 'Wants a meeting', keywords: ['meeting', 'call'], points: 40 },
    { name: 'Too expensive', keywords: ['expensive'], points: -20 },
  ],
}

/** The demo account's AI agents. */
export const aiAgents = [
  { name: 'Sofia', type: 'whatsapp', ...TALK },
  { name: 'Clara', type: 'instagram', ...TALK },
]
