import { createHash, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { isId } from '../common/crypto/ids.js';
import { KeyRing } from '../common/crypto/key-ring.js';
import { PrismaService } from '../data/prisma.service.js';

export const DEVICE_TOKEN_HEADER = 'x-device-token';

const ID_BYTES = 16;
const SECRET_BYTES = 16;
const MAC_BYTES = 16;
const FORM = /^[\w-]{64}$/;

/** An enrolled terminal that is not revoked. */
export interface EnrolledTerminal {
  readonly id: string;
  readonly name: string;
}

/**
 * Tokens of enrolled terminals. A token consists of an id, a secret, and a keyed digest of both. The digest detects forged
 * tokens without a database query. The database stores only the SHA-256 of a token.
 */
@Injectable()
export class DeviceTokens {
  constructor(
    private readonly prisma: PrismaService,
    private readonly keys: KeyRing,
  ) {}

  /** Returns a new token, and the digest of the token for the database. */
  issue(terminalId: string): { token: string; digest: Buffer<ArrayBuffer> } {
    const body = Buffer.concat([
      Buffer.from(terminalId.replaceAll('-', ''), 'hex'),
      randomBytes(SECRET_BYTES),
    ]);
    const mac = this.keys.digest('device-token', body.toString('base64url')).subarray(0, MAC_BYTES);
    const token = Buffer.concat([body, mac]).toString('base64url');
    return { token, digest: digestOf(token) };
  }

  /**
   * Returns the terminal id in the request's token, even if the terminal is revoked. Use the id as a key for counters, not as
   * proof.
   */
  signedId(request: Request): string | undefined {
    const token = tokenOf(request);
    if (token === undefined) return undefined;
    const bytes = Buffer.from(token, 'base64url');
    const body = bytes.subarray(0, ID_BYTES + SECRET_BYTES);
    const mac = bytes.subarray(ID_BYTES + SECRET_BYTES);
    if (!this.keys.isDigest('device-token', body.toString('base64url'), mac)) return undefined;
    const id = bytes
      .toString('hex', 0, ID_BYTES)
      .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
    return isId(id) ? id : undefined;
  }

  /** Returns the enrolled terminal that sent a request. Returns undefined if the token is missing, forged or revoked. */
  async terminalOf(request: Request): Promise<EnrolledTerminal | undefined> {
    const token = tokenOf(request);
    if (token === undefined || this.signedId(request) === undefined) return undefined;
    const { terminal } = await this.prisma.client();
    const where = { tokenDigest: digestOf(token), revokedAt: null };
    return (await terminal.findUnique({ where, select: { id: true, name: true } })) ?? undefined;
  }

  /** Records the staff member who uses a terminal. */
  async signedIn(terminalId: string, staffId: string): Promise<void> {
    const { terminal } = await this.prisma.client();
    await terminal.updateMany({ where: { id: terminalId }, data: { staffId, lastUsedAt: new Date() } });
  }
}

function tokenOf(request: Request): string | undefined {
  const token = request.headers[DEVICE_TOKEN_HEADER];
  return typeof token === 'string' && FORM.test(token) ? token : undefined;
}

const digestOf = (token: string) => createHash('sha256').update(token).digest();
