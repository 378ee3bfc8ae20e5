/** The demo account's AI agents. */
export const aiAgents = [
  { name: 'Sofia', type: 'whatsapp' },
  { name: 'Clara', type: 'instagram' },
]
