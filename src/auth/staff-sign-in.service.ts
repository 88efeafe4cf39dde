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

/** A staff member who has just signed in at one event. */
export interface KnownStaff {
  readonly id: string;
  readonly name: string;
  readonly sessionVersion: number;
  readonly eventId: string;
  readonly assignedAt: Date;
  /** The enrolled terminal of the sign-in. */
  readonly terminalId: string | null;
}

/** A staff member who entered a correct PIN, without the terminal. */
export type KnownMember = Omit<KnownStaff, 'terminalId'>;

interface WitnessCall {
  /** Id of the signed-in user. */
  readonly caller: string;
  readonly eventId: string;
  /** The member who cannot be the witness. */
  readonly notBy: string;
  readonly code: string;
}

/** Statuses of an event in which staff can sign in. `closed` is one, because staff record late cash after the event. */
const OPEN: EventStatus[] = ['active', 'paused', 'closed'];

/** An id that no event has. A query with this id finds nothing and takes as long as a query for a real event. */
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
   * @throws ForbiddenError `TERMINAL_NOT_ENROLLED` if only enrolled terminals may sign in.
   * @throws UnauthorizedError for a wrong PIN, a wrong event and a missing assignment: always the same error.
   * @throws TooManyRequestsError after five failures from one device or address at one event, and after too many failures in
   * one day. For untrusted devices, the failures of their whole network also count.
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
    // This check runs before the PIN check, so that the answer reveals nothing about the PIN.
    if (terminalId === null && (await this.settings.global()).auth.enrolledTerminalsOnly)
      throw new ForbiddenError('TERMINAL_NOT_ENROLLED', 'Staff sign in on enrolled terminals only');
    const staff = await this.limits.guard(counted, device, request, () => this.check(code, event));
    await this.devices.trust('staff', request, response, staff.id);
    const detail = { event: staff.eventId, ...(terminalId === null ? {} : { terminal: terminalId }) };
    await this.trail.succeeded('staff', { id: staff.id, role: 'STAFF' }, detail);
    return { ...staff, terminalId };
  }

  /**
   * Finds a witness by PIN: any member of the event except `notBy`, whose drawer was counted. The event may be archived,
   * because an earlier counted drawer may still need the signature. Wrong PINs count as failed sign-ins of the caller.
   * @throws UnauthorizedError for every other PIN
   * @throws TooManyRequestsError
   */
  async witness({ caller, eventId, notBy, code }: WitnessCall, request: Request): Promise<KnownMember> {
    const device = { key: `caller:${caller}`, owner: caller };
    return await this.limits.guard(eventId, device, request, async () => {
      const member = await this.check(code, eventId, true);
      if (member.id === notBy) throw new UnauthorizedError('WRONG_CODE', 'You cannot sign your own count');
      return member;
    });
  }

  private async check(code: string, event: string | null, anyState = false): Promise<KnownMember> {
    const { eventStaff } = await this.prisma.client();
    const found = await eventStaff.findMany({
      where: {
        // A PIN alone never signs in to a rehearsal; the till names it.
        ...(event === null ? { event: { status: { in: OPEN }, rehearsalOf: null } } : { eventId: event }),
        ...(anyState || event === null ? {} : { event: { status: { in: OPEN } } }),
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
    // If the request contains no event, the member must have exactly one open assignment.
    if (!assignment || found.length > 1) {
      await this.trail.failed('staff', null, { event: event === NO_EVENT ? null : event });
      throw new UnauthorizedError(
        'WRONG_CODE',
        'The PIN is not valid for this event; check the PIN and the event',
      );
    }
    const { staff, eventId, createdAt: assignedAt } = assignment;
    return { ...staff, eventId, assignedAt };
  }

  /** Returns the id of an event by id or slug. If an id and a slug are equal, the id is used. */
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

/**
 * Counter key of an unknown event. Unknown events are counted like real events, so that answers do not reveal which events
 * exist.
 */
const unknownEvent = (reference: string): string =>
  `unknown-${createHash('sha256').update(reference.toLowerCase()).digest('base64url')}`;
