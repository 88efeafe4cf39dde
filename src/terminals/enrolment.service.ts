import { createHash, randomInt } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Audit } from '../audit/audit.js';
import { DeviceTokens } from '../auth/device-tokens.service.js';
import { actorOf, SYSTEM, type Principal } from '../common/access/principal.js';
import { UnauthorizedError } from '../common/errors/domain-errors.js';
import { newId } from '../common/crypto/ids.js';
import { AppConfig } from '../config/app-config.js';
import { isPrismaForeignKey, PrismaService } from '../data/prisma.service.js';
import { EventLookup } from '../events/event-lookup.service.js';
import { eventNotFound } from '../events/event-record.js';
import type { CreateTerminalCode, Enrolment, TerminalCode } from './dto/terminal.dto.js';

/** Crockford's alphabet, in which no letter looks like a digit or another letter. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const GROUPS = 3;
const GROUP_LENGTH = 4;
const CODE_MS = 15 * 60_000;

/** Enrols terminals: an admin creates a code, and the terminal exchanges it for its device token. */
@Injectable()
export class Enrolments {
  constructor(
    private readonly prisma: PrismaService,
    private readonly config: AppConfig,
    private readonly events: EventLookup,
    private readonly tokens: DeviceTokens,
    private readonly audit: Audit,
  ) {}

  /** Creates a code for one use within 15 minutes. The code has sixty bits, so guessing the code in this time is impossible. */
  async createCode(caller: Principal, { name, eventId }: CreateTerminalCode): Promise<TerminalCode> {
    const event = eventId ? await this.events.get(eventId) : undefined;
    const code = newCode();
    const expiresAt = new Date(Date.now() + CODE_MS);
    await this.prisma.transaction(async (tx) => {
      await tx.terminalCode
        .create({
          data: {
            codeDigest: digestOf(code),
            name,
            eventId: event?.id ?? null,
            createdBy: caller.id,
            expiresAt,
          },
        })
        .catch((error: unknown) => {
          // The event was deleted at the same time.
          throw isPrismaForeignKey(error) ? eventNotFound() : error;
        });
      await this.audit.record(actorOf(caller), 'terminal.code', null, { name, event: event?.id ?? null }, tx);
    });
    return {
      code,
      enrolUrl: `${this.config.publicUrl}/pos#enrol=${code}`,
      expiresAt: expiresAt.toISOString(),
    };
  }

  /** @throws UnauthorizedError `WRONG_CODE` for an unknown, used or expired code */
  async enrol(sent: string): Promise<Enrolment> {
    const codeDigest = digestOf(sent);
    const id = newId();
    const { token, digest } = this.tokens.issue(id);
    const { name, eventId } = await this.prisma.transaction(async (tx) => {
      const now = new Date();
      // The update locks the row, so only one of two simultaneous requests succeeds.
      const { count } = await tx.terminalCode.updateMany({
        where: { codeDigest, usedAt: null, expiresAt: { gt: now } },
        data: { usedAt: now },
      });
      const code = count === 1 ? await tx.terminalCode.findUnique({ where: { codeDigest } }) : null;
      if (!code)
        throw new UnauthorizedError('WRONG_CODE', 'The code is invalid or expired; ask for a new one');
      const data = { id, name: code.name, eventId: code.eventId, lastUsedAt: now };
      await tx.terminal.create({ data: { ...data, tokenDigest: new Uint8Array(digest) } });
      await this.audit.record(SYSTEM, 'terminal.enrol', id, { codeBy: code.createdBy }, tx);
      return code;
    });
    return { terminal: { id, name, eventId }, deviceToken: token };
  }
}

function newCode(): string {
  const group = () =>
    Array.from({ length: GROUP_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
  return Array.from({ length: GROUPS }, group).join('-');
}

/** Returns the digest of the normalized code, because people omit hyphens and read the digit 0 as the letter O. */
function digestOf(code: string): Uint8Array<ArrayBuffer> {
  const meant = code
    .toUpperCase()
    .replaceAll('O', '0')
    .replaceAll(/[IL]/g, '1')
    .replaceAll(/[^0-9A-Z]/g, '');
  return new Uint8Array(createHash('sha256').update(meant).digest());
}
