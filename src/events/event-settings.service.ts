import { actorOf, type Principal } from '../common/access/principal.js';
import { Injectable } from '@nestjs/common';
import { InvalidInputError } from '../common/errors/domain-errors.js';
import { CommittedChanges } from '../common/caching/committed-changes.js';
import type { Reading } from '../common/caching/fresh-reads.js';
import { Audit } from '../audit/audit.js';
import { EditConflicts } from '../audit/edit-conflicts.service.js';
import { Database, type Transaction } from '../data/database.js';
import {
  layered,
  readStored,
  settingsInForce,
  isJsonObject,
  type JsonObject,
} from '../settings/stored-settings.js';
import {
  beforeAndAfter,
  changedFields,
  patched,
  readExpected,
  readPatch,
  refuseUnexpected,
  withoutExpected,
} from '../settings/settings-patch.js';
import { BRANDING, type Branding, type Settings } from '../settings/settings.js';
import { SETTINGS_TRAIL, SettingsService } from '../settings/settings.service.js';
import type { DeletedEventDto } from './dto/event.dto.js';
import { type EventSettingsDto, READ_ONLY, toBranding, toEventSettings } from './dto/event-settings.dto.js';
import { holdCurrency } from './events.service.js';
import { EventLookup } from './event-lookup.service.js';
import { eventNotFound, type EventRecord, visibleTo } from './event-record.js';
import { type PublicEvent, PublicEvents } from './public-events.service.js';
import { LOCK, SET_OVERRIDES } from './events.sql.js';

const ECHOED = Object.keys(READ_ONLY) as (keyof typeof READ_ONLY)[];
const CHANGED_ELSEWHERE: Readonly<Record<keyof typeof READ_ONLY, string>> = {
  id: '',
  slug: ': it belongs to the event',
  name: ': it belongs to the event',
  isOverride: '',
  currency: ': it is payment.currency, or the currency of the event',
};

/** Actions in the audit log that change the overrides of an event. */
const CHANGES = ['event.settings', 'event.branding', 'event.settings.clear'];

/** Converts the fields of the branding request to the `theme` part of the settings. */
const themeOf = ({ assets, themeVariables }: JsonObject): JsonObject => ({
  ...(assets === undefined ? {} : { assets }),
  ...(themeVariables === undefined ? {} : { variables: themeVariables }),
});

/** Reads and changes an event's overrides of the global settings. Every `ref` is an id or a slug. */
@Injectable()
export class EventSettings {
  constructor(
    private readonly database: Database,
    private readonly lookup: EventLookup,
    private readonly settings: SettingsService,
    private readonly audit: Audit,
    private readonly conflicts: EditConflicts,
    private readonly publicEvents: PublicEvents,
    private readonly changes: CommittedChanges,
  ) {}

  /**
   * Returns the settings in effect for an event.
   * @param shown called with the cached reading if the response is the public one
   * @throws NotFoundError `EVENT_NOT_FOUND`; for the public also if the event is a draft or archived
   */
  async read(
    ref: string,
    viewer: Principal | undefined,
    shown: (reading: Reading<PublicEvent>) => void,
  ): Promise<EventSettingsDto> {
    if (viewer) return await this.answer(visibleTo(viewer, await this.lookup.get(ref)));
    const reading = await this.publicEvents.get(ref);
    shown(reading);
    return toEventSettings(reading.value.event, reading.value.settings);
  }

  /**
   * Merges a raw patch into the overrides. A new `payment.currency` becomes the event's currency.
   * @throws RefusedFieldsError
   * @throws InvalidInputError `READ_ONLY_FIELD`
   * @throws ConflictError `EVENT_CURRENCY_FIXED`
   * @throws EditConflictError if a setting does not have its expected value
   */
  async patch(ref: string, raw: unknown, actor: Principal): Promise<EventSettingsDto> {
    const present = await this.lookup.get(ref);
    const sent = withoutExpected(raw);
    const patch = readPatch(await this.withoutReadOnly(sent.patch, present));
    const expected = readExpected(sent.expected);
    return await this.answer(await this.merge(present.id, { patch, expected }, actor, 'event.settings'));
  }

  /**
   * Merges raw `assets` and `themeVariables` into the overrides.
   * @throws RefusedFieldsError
   * @throws EditConflictError if a part of the branding does not have its expected value
   */
  async patchBranding(ref: string, raw: unknown, actor: Principal): Promise<Branding> {
    const sent = withoutExpected(raw);
    const patch = { theme: themeOf(readPatch(sent.patch, BRANDING)) };
    const read = readExpected(sent.expected, BRANDING);
    const expected = read && { theme: themeOf(read) };
    const { id } = await this.lookup.get(ref);
    const event = await this.merge(id, { patch, expected }, actor, 'event.branding');
    return toBranding(await this.settings.effective(event.overrides));
  }

  /** Removes all overrides of the event, not only the branding. The currency of the event does not change. */
  async clear(ref: string, actor: Principal): Promise<DeletedEventDto> {
    const { id } = await this.lookup.get(ref);
    await this.change(id, async (tx, event) => {
      await this.audit.record(actorOf(actor), 'event.settings.clear', id, {}, tx);
      return { overrides: {}, currency: event.currency };
    });
    return { id, deleted: true };
  }

  private async answer(event: EventRecord): Promise<EventSettingsDto> {
    return toEventSettings(event, await this.settings.effective(event.overrides));
  }

  private async merge(
    id: string,
    { patch, expected }: { readonly patch: JsonObject; readonly expected: JsonObject | undefined },
    actor: Principal,
    action: 'event.settings' | 'event.branding',
  ): Promise<EventRecord> {
    // A setting without an override changes with the global settings, so the search for the other change includes these.
    const trails = [{ subjectId: id, actions: CHANGES }, SETTINGS_TRAIL];
    return await this.conflicts.explaining(actor, trails, () =>
      this.merged(id, { patch, expected }, actor, action),
    );
  }

  private async merged(
    id: string,
    { patch, expected }: { readonly patch: JsonObject; readonly expected: JsonObject | undefined },
    actor: Principal,
    action: 'event.settings' | 'event.branding',
  ): Promise<EventRecord> {
    return await this.change(id, async (tx, event) => {
      const global = await this.settings.storedIn(tx);
      const stored = readStored(event.overrides);
      refuseUnexpected(expected, patch, settingsInForce(global, stored));
      const overrides = patched(stored, patch, global);
      const was = layered(global, stored).payment.currency;
      const is = layered(global, overrides).payment.currency;
      const currency = was === is ? event.currency : is;
      if (currency !== event.currency) await holdCurrency(tx, id, currency);
      const fields = changedFields(patch);
      const values = beforeAndAfter(stored, overrides, fields);
      const detail = { fields, ...values, ...(values.after && { currency }) };
      await this.audit.record(actorOf(actor), action, id, detail, tx);
      return { overrides, currency };
    });
  }

  /** Changes the overrides of one event under the row lock, so that two changes never overwrite each other. */
  private async change(
    id: string,
    work: (tx: Transaction, event: EventRecord) => Promise<{ overrides: JsonObject; currency: string }>,
  ): Promise<EventRecord> {
    return await this.database.transaction(async (tx) => {
      const [event] = await tx.query<EventRecord>(LOCK, [id]);
      if (!event) throw eventNotFound();
      const { overrides, currency } = await work(tx, event);
      const [changed] = await tx.query<EventRecord>(SET_OVERRIDES, [id, JSON.stringify(overrides), currency]);
      tx.afterCommit(() => {
        this.changes.announce(id);
      });
      return changed ?? event;
    });
  }

  private async withoutReadOnly(raw: unknown, event: EventRecord): Promise<unknown> {
    if (!isJsonObject(raw) || ![...ECHOED, 'auth'].some((name) => name in raw)) return raw;
    const { auth, ...sent } = raw;
    const patch = Object.fromEntries(
      Object.entries(sent).filter(([name]) => !ECHOED.some((echoed) => echoed === name)),
    );
    const present = await this.answer(event);
    const refused = [
      ...ECHOED.filter((name) => sent[name] !== undefined && sent[name] !== present[name]).map(
        (name) => `${name} cannot be changed here${CHANGED_ELSEWHERE[name]}`,
      ),
      ...Object.entries(isJsonObject(auth) ? auth : {})
        .filter(([name, value]) => value !== null && value !== present.auth[name as keyof Settings['auth']])
        .map(([name]) => `auth.${name} cannot be changed here: it applies to the whole organization`),
    ];
    if (refused.length > 0) throw new InvalidInputError('READ_ONLY_FIELD', refused.join('; '));
    // If `auth` has another type, the patch stays unchanged and the schema refuses it.
    return auth === undefined || auth === null || isJsonObject(auth) ? patch : { ...patch, auth };
  }
}
