import type { AddressInfo, Socket } from 'node:net';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import type { MailTimes } from '../../src/config/mail-times.js';

export const MAIL_FROM = 'Receipts <receipts@charity.example>';

/** Short times, so that tests do not wait. */
export const FAST_MAIL: MailTimes = {
  connectMs: 500,
  answerMs: 700,
  sendMs: 3_000,
  leaseMs: 5_000,
  lookMs: 100,
  firstRetryMs: 100,
  longestRetryMs: 200,
  attempts: 10_000,
};

/** The answer to an e-mail. A number is the SMTP status for the recipient. */
export type MailMode = 'accept' | 'hang' | 'drop' | 'unsure' | 'no-password' | 450 | 451 | 421 | 550 | 552;

export interface ReceivedEmail extends Email {
  /** The raw text of the e-mail. */
  readonly raw: string;
  readonly recipients: readonly string[];
}

/** A real SMTP server on this machine. Tests can make it fail. */
export class MailServer {
  mode: MailMode = 'accept';
  readonly received: ReceivedEmail[] = [];
  /** Recipients of all delivery attempts, in order. */
  readonly tries: string[] = [];
  private readonly sockets = new Set<Socket>();
  private server: SMTPServer | undefined;
  private port = 0;

  static async start(): Promise<MailServer> {
    const server = new MailServer();
    await server.listen();
    return server;
  }

  get url(): string {
    return `smtp://user:pass@127.0.0.1:${this.port}`;
  }

  get environment(): NodeJS.ProcessEnv {
    return { SMTP_URL: this.url, MAIL_FROM };
  }

  to(address: string): ReceivedEmail[] {
    return this.received.filter(({ recipients }) => recipients.includes(address));
  }

  async listen(): Promise<void> {
    this.server = new SMTPServer({
      disabledCommands: ['STARTTLS'],
      hideSize: true,
      closeTimeout: 100,
      onAuth: (auth, _session, done) => {
        if (this.mode === 'no-password') done(reply(535, 'Authentication failed'));
        else done(null, { user: auth.username ?? '' });
      },
      onRcptTo: ({ address }, _session, done) => {
        this.tries.push(address);
        if (typeof this.mode === 'number') done(reply(this.mode, `<${address}> is not wanted here now`));
        else done();
      },
      onData: (stream, session, done) => {
        if (this.mode === 'drop') {
          this.cut();
          stream.resume();
          return;
        }
        void this.read(
          stream,
          session.envelope.rcptTo.map(({ address }) => address),
        ).then(
          () => {
            // The server accepts the e-mail, but its answer is lost.
            if (this.mode === 'unsure') this.cut();
            else if (this.mode !== 'hang') done();
          },
          // The client closed the connection before the end of the e-mail, so the server received no e-mail.
          () => undefined,
        );
      },
    });
    this.server.on('error', () => undefined);
    this.server.server.on('connection', (socket: Socket) => {
      this.sockets.add(socket);
      socket.once('close', () => this.sockets.delete(socket));
    });
    await new Promise<void>((resolve) => this.server?.listen(this.port, '127.0.0.1', resolve));
    this.port = (this.server.server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    this.cut();
    await new Promise<void>((resolve) => {
      if (this.server) this.server.close(resolve);
      else resolve();
    });
  }

  /** Ends all connections without answering. */
  cut(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  private async read(stream: AsyncIterable<Buffer>, recipients: readonly string[]): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of stream) chunks.push(chunk);
    if (this.mode === 'hang') return;
    const raw = Buffer.concat(chunks);
    this.received.push({ ...(await PostalMime.parse(raw)), raw: raw.toString('latin1'), recipients });
  }
}

const reply = (responseCode: number, message: string) => Object.assign(new Error(message), { responseCode });
