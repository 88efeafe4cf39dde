import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { ForbiddenError, UnauthorizedError } from '../common/errors/domain-errors.js';
import { isId } from '../common/crypto/ids.js';
import { KeyRing } from '../common/crypto/key-ring.js';
import { PrismaService } from '../data/prisma.service.js';
import type { EventStatus } from '../data/generated/enums.js';
import { SettingsService } from '../settings/settings.service.js';
import type { StaffLogin } from './dto/sign-in.dto.js';
import { PinLimits } from './limits/pin-limits.js';
import { SignInTrail } from './sign-in-trail.js';
import { TrustedDevices } from './limits/trusted-devices.js';

/** A staff member who has just shown who they are, at one event. */
export interface KnownStaff {
  readonly id: string;
  readonly name: string;
  readonly sessionVersion: number;
  readonly eventId: string;
  readonly assignedAt: Date;
  /** The enrolled terminal they are on. */
  readonly terminalId: string | null;
}

/** Who a PIN belongs to, wherever it was entered. */
export type KnownMember = Omit<KnownStaff, 'terminalId'>;

interface WitnessCall {
  /** Id of whoever is signed in. */
  readonly caller: string;
  readonly eventId: string;
  /** The member who cannot bear witness. */
  readonly notBy: string;
  readonly code: string;
}

/** Late cash is recorded after an event has closed. */
const OPEN: EventStatus[] = ['active', 'paused', 'closed'];

/** The id of no event: the query matches nothing and takes as long as for a real event. */
const NO_EVENT = '00000000-0000-0000-0000-000000000000';

/** Signs staff in by PIN. */
@Injectable()
export class StaffSignIn {
  constructor(
    private readonly prisma: PrismaService,
    private readonly keys: KeyRing,
    private readonly devices: TrustedDevices,
    private readonly limits: PinLimits,
    private readonly trail: SignInTrail,
    private readonly settings: SettingsService,
  ) {}

  /**
   * @throws ForbiddenError `TERMINAL_NOT_ENROLLED` where only enrolled terminals may sign in
   * @throws UnauthorizedError one and the same for a wrong PIN, a wrong event and a missing assignment
   * @throws TooManyRequestsError after five failures from one device or address at one event, after too many in
   *   a day, or, for strangers, once those of their network have failed too often
   */
  async signIn(
    { code, eventId: reference }: StaffLogin,
    request: Request,
    response: Response,
  ): Promise<KnownStaff> {
    const found = reference ? await this.findEvent(reference) : undefined;
    const event = reference ? (found ?? NO_EVENT) : null;
    const counted = reference ? (found ?? unknownEvent(reference)) : undefined;
    const device = await this.devices.ofStaff(request);
    const terminalId = device.terminalId ?? null;
    // Before any look at the code, so that the answer says nothing about it.
    if (terminalId === null && (await this.settings.global()).auth.enrolledTerminalsOnly)
      throw new ForbiddenError('TERMINAL_NOT_ENROLLED', 'Staff sign in on enrolled terminals only');
    const staff = await this.limits.guard(counted, device, request, () => this.check(code, event));
    await this.devices.trust('staff', request, response, staff.id);
    const detail = { event: staff.eventId, ...(terminalId === null ? {} : { terminal: terminalId }) };
    await this.trail.succeeded('staff', { id: staff.id, role: 'STAFF' }, detail);
    return { ...staff, terminalId };
  }

  /**
   * Finds out by PIN who bears witness: a member of the event who is not the one it is about. The event may be put away:
   * a drawer that was counted before needs its signature all the same. Wrong PINs count against the caller as failed
   * sign-ins do.
   * @throws UnauthorizedError for every other PIN
   * @throws TooManyRequestsError
   */
  async witness({ caller, eventId, notBy, code }: WitnessCall, request: Request): Promise<KnownMember> {
    const device = { key: `caller:${caller}`, owner: caller };
    return await this.limits.guard(eventId, device, request, async () => {
      const member = await this.check(code, eventId, true);
      if (member.id === notBy)
        throw new UnauthorizedError('WRONG_CODE', 'Nobody bears witness to themselves');
      return member;
    });
  }

  private async check(code: string, event: string | null, anyState = false): Promise<KnownMember> {
    const { eventStaff } = await this.prisma.client();
    const found = await eventStaff.findMany({
      where: {
        ...(event === null ? {} : { eventId: event }),
        ...(anyState ? {} : { event: { status: { in: OPEN } } }),
        staff: { pinDigest: { in: this.keys.digests('pin-digest', code) }, deletedAt: null },
      },
      select: {
        eventId: true,
        createdAt: true,
        staff: { select: { id: true, name: true, sessionVersion: true } },
      },
      take: 2,
    });
    const [assignment] = found;
    // Without an event in the request, exactly one open assignment must exist.
    if (!assignment || found.length > 1) {
      await this.trail.failed('staff', null, { event: event === NO_EVENT ? null : event });
      throw new UnauthorizedError(
        'WRONG_CODE',
        'The code does not open this event; check the code and the event',
      );
    }
    const { staff, eventId, createdAt: assignedAt } = assignment;
    return { ...staff, eventId, assignedAt };
  }

  /** An id wins over a slug that looks like one. */
  private async findEvent(reference: string): Promise<string | undefined> {
    const { event } = await this.prisma.client();
    const text = reference.toLowerCase();
    const found = await event.findMany({
      where: { OR: [{ slug: text }, ...(isId(text) ? [{ id: text }] : [])] },
      select: { id: true },
    });
    return (found.find(({ id }) => id === text) ?? found[0])?.id;
  }
}

/** Unknown events are counted like real ones, so that the answers do not show which events exist. */
const unknownEvent = (reference: string): string =>
  `unknown-${createHash('sha256').update(reference.toLowerCase()).digest('base64url')}`;
