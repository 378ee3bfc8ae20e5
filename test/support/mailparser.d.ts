/** What the tests use of mailparser, which comes without types. */
declare module 'mailparser' {
  export interface ParsedMail {
    from: { text: string }
    to: { text: string }
    subject: string
    text: string
    date: Date
    messageId: string
    headerLines: { key: string; line: string }[]
  }
  export function simpleParser(source: Buffer): Promise<ParsedMail>
}
