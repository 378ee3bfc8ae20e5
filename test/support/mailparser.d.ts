/** What the tests use of mailparser, which comes without types. */
declare module 'mailparser' {
  export interface ParsedMail {
    from: { text: string; value: { name: string; address: string }[] }
    to: { text: string; value: { name: string; address: string }[] }
    subject: string
    text: string
    html: string | false
    date: Date
    messageId: string
    headerLines: { key: string; line: string }[]
  }
  export function simpleParser(source: Buffer): Promise<ParsedMail>
}
