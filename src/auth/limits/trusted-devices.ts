import { Injectable } from '@nestjs/common';
import type { CookieOptions, Request, Response } from 'express';
import { boundedCache } from '../../common/caching/bounded-cache.js';
import { clientAddress } from '../../common/http/client-address.js';
import { newId } from '../../common/crypto/ids.js';
import { AppConfig } from '../../config/app-config.js';
import { PrismaService } from '../../data/prisma.service.js';
import { Counters } from '../../redis/counters.js';
import { RedisService } from '../../redis/redis.service.js';
import { cookieName, cookiesNeedTls } from '../cookies.js';
import { DeviceTokens } from '../device-tokens.service.js';
import { AccessTokens } from '../tokens.js';

const COOKIES = {
  staff: { name: 'terminal', path: '/auth/staff' },
  admin: { name: 'admin_device', path: '/auth' },
} as const;
type Kind = keyof typeof COOKIES;

const DAY_SECONDS = 86_400;
const TRUSTED_SECONDS = 180 * DAY_SECONDS;
const ADDRESS_TRUSTED_SECONDS = 30 * DAY_SECONDS;
/**
 * Maximum number of new trusted devices per person and day. Each device has its own failure counter, so more devices allow more
 * guesses.
 */
const NEW_DEVICES_A_DAY = 10;

/** The origin of a sign-in attempt. */
export interface Device {
  /** Key of the failure counters: the device if it is trusted, otherwise the address. */
  readonly key: string;
  /** The person who first signed in on the trusted device; undefined for an untrusted device. */
  readonly owner?: string;
  /** Id of the terminal, if the device is an enrolled terminal. */
  readonly terminalId?: string;
}

/**
 * Recognizes devices on which people signed in, by a signed cookie and, for staff, by address. So an attack from another place
 * does not lock these devices out. A device is trusted at all events while the member who signed in on the device exists. An
 * enrolled terminal is trusted until it is revoked.
 */
@Injectable()
export class TrustedDevices {
  private readonly addresses = boundedCache<string>(10_000, {
    ttl: ADDRESS_TRUSTED_SECONDS * 1_000,
  });
  private readonly cookieOptions: CookieOptions;

  constructor(
    private readonly config: AppConfig,
    private readonly tokens: AccessTokens,
    private readonly prisma: PrismaService,
    private readonly redis: RedisService,
    private readonly counters: Counters,
    private readonly terminals: DeviceTokens,
  ) {
    this.cookieOptions = {
      httpOnly: true,
      sameSite: 'strict',
      secure: cookiesNeedTls(config),
      maxAge: TRUSTED_SECONDS * 1_000,
    };
  }

  /**
   * Returns the device in the signed cookie of a request, for any owner. Use the device as a key for counters, not as proof.
   */
  signedKey(request: Request): string | undefined {
    return this.terminalKey(request) ?? (this.read('staff', request) ?? this.read('admin', request))?.key;
  }

  /** Returns the enrolled terminal in the device token of a request. Use the terminal as a key for counters, not as proof. */
  terminalKey(request: Request): string | undefined {
    const id = this.terminals.signedId(request);
    return id === undefined ? undefined : keyOfTerminal(id);
  }

  /** Returns the device in an admin's cookie. */
  ofAdmin(request: Request): Device {
    return this.read('admin', request) ?? stranger(request);
  }

  async ofStaff(request: Request): Promise<Device> {
    const terminal = await this.terminals.terminalOf(request);
    // Failures on an enrolled terminal count only for that terminal, not for the member who signed in on it.
    if (terminal) {
      const key = keyOfTerminal(terminal.id);
      return { key, owner: key, terminalId: terminal.id };
    }
    const device = this.read('staff', request);
    if (device && (await this.isPresent(device.owner))) return device;
    const known = stranger(request);
    const owner = await this.ownerOfAddress(known.key);
    return owner !== undefined && (await this.isPresent(owner)) ? { ...known, owner } : known;
  }

  /** Marks a device as trusted. Call this function after the person has signed in. */
  async trust(kind: Kind, request: Request, response: Response, person: string): Promise<void> {
    const known = kind === 'staff' ? await this.ofStaff(request) : this.ofAdmin(request);
    if (known.terminalId !== undefined) {
      await this.terminals.signedIn(known.terminalId, person);
      return;
    }
    // Many people use the same till, so its cookie stays valid for all of them. An admin's device is trusted only for that
    // admin.
    const hasCookie = known.key.startsWith('device:') && (kind === 'staff' || known.owner === person);
    if (!hasCookie && !(await this.mayTrustOneMore(person))) return;
    const owner = hasCookie ? known.owner : person;
    const id = hasCookie ? known.key.slice('device:'.length) : newId();
    const { name, path } = COOKIES[kind];
    response.cookie(
      cookieName(this.config, name),
      this.tokens.signFor(name, { id, owner }, TRUSTED_SECONDS),
      {
        ...this.cookieOptions,
        path,
      },
    );
    if (kind === 'staff') await this.trustAddress(stranger(request).key, person);
  }

  private async mayTrustOneMore(person: string): Promise<boolean> {
    return (await this.counters.hit(`devices:${person}`, NEW_DEVICES_A_DAY, DAY_SECONDS)).allowed;
  }

  private read(kind: Kind, request: Request): Required<Pick<Device, 'key' | 'owner'>> | undefined {
    const { name } = COOKIES[kind];
    const value = (request.cookies as Record<string, unknown> | undefined)?.[cookieName(this.config, name)];
    if (typeof value !== 'string') return undefined;
    const { id, owner } = this.tokens.readFor(name, value) ?? {};
    return typeof id === 'string' && typeof owner === 'string' ? { key: `device:${id}`, owner } : undefined;
  }

  private async isPresent(id: string): Promise<boolean> {
    const { staffMember } = await this.prisma.client();
    return (await staffMember.findUnique({ where: { id, deletedAt: null }, select: { id: true } })) !== null;
  }

  private async ownerOfAddress(address: string): Promise<string | undefined> {
    return await this.redis.run(
      async (client) => (await client.get(this.redis.nameOf(`trusted:${address}`))) ?? undefined,
      () => this.addresses.get(address),
    );
  }

  private async trustAddress(address: string, owner: string): Promise<void> {
    this.addresses.set(address, owner);
    await this.redis.run(
      async (client) => {
        await client.set(this.redis.nameOf(`trusted:${address}`), owner, 'EX', ADDRESS_TRUSTED_SECONDS);
      },
      () => undefined,
    );
  }
}

const keyOfTerminal = (id: string): string => `terminal:${id}`;

const stranger = (request: Request): Device => ({ key: `address:${clientAddress(request.ip)}` });
