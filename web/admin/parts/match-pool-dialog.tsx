import { useState } from 'preact/hooks';
import type { MatchPoolDto } from '../../../src/match/dto/match-pool.dto.js';
import { CheckField, MoneyField, SelectField, TextField } from '../../desk/fields.js';
import { FormDialog } from '../../desk/form-dialog.js';
import { dateTime, t } from '../../desk/texts.js';
import { say } from '../../desk/toast.js';
import { api } from '../api/client.js';
import { ApiError, hasCode } from '../api/errors.js';
import { changed } from '../api/query.js';
import { TYPES } from './donations.js';
import { changeOf, ConflictNote, useConflict } from './edit-conflict.js';
import { toLocal } from './event-form.js';
import { type Form, useForm } from './form.js';
import { ImageField } from './image-field.js';

/** The fields as the person types them: numbers as text, and local times. An empty text is null. */
interface Fields {
  readonly name: string;
  /** Null for an empty field, undefined for an invalid amount. */
  readonly cap: number | null | undefined;
  readonly remainder: MatchPoolDto['remainder'] | '';
  /** Percent. */
  readonly ratio: string;
  readonly matcherName: string;
  readonly isMatcherAnonymous: boolean;
  readonly matcherEmail: string;
  readonly perGiftCap: number | null | undefined;
  readonly perDonorCap: number | null | undefined;
  readonly minGift: number | null | undefined;
  readonly opensAt: string;
  readonly closesAt: string;
  readonly dueOn: string;
  readonly pledges: MatchPoolDto['pledges'];
  readonly keepDays: string;
  readonly url: string;
  /** Path of the picture. */
  readonly logo: string;
  /** Types with commas between them; empty for all. */
  readonly kinds: string;
  readonly graceMinutes: string;
  readonly priority: string;
}

const timeOf = (iso: string | null | undefined): string => (iso ? toLocal(iso) : '');

const fieldsOf = (pool: MatchPoolDto | undefined): Fields => ({
  name: pool?.name ?? '',
  cap: pool?.cap ?? null,
  remainder: pool?.remainder ?? '',
  ratio: String((pool?.ratio ?? 10_000) / 100),
  matcherName: pool?.matcherName ?? '',
  isMatcherAnonymous: pool?.isMatcherAnonymous ?? false,
  matcherEmail: pool?.matcherEmail ?? '',
  perGiftCap: pool?.perGiftCap ?? null,
  perDonorCap: pool?.perDonorCap ?? null,
  minGift: pool?.minGift ?? null,
  opensAt: timeOf(pool?.opensAt),
  closesAt: timeOf(pool?.closesAt),
  dueOn: pool?.dueOn ?? '',
  pledges: pool?.pledges ?? 'when_paid',
  keepDays: String(pool?.keepDays ?? 30),
  url: pool?.url ?? '',
  logo: pool?.logo ? `/images/${pool.logo}.webp` : '',
  kinds: pool?.kinds?.join() ?? '',
  graceMinutes: String(pool?.graceMinutes ?? 120),
  priority: String(pool?.priority ?? 100),
});

const toTime = (value: string) => new Date(value).toISOString();

/** Converts the text of a field to the value in the API. */
const TO_API: Readonly<Record<string, (value: string) => unknown>> = {
  ratio: (value) => Math.round(Number(value) * 100),
  keepDays: Number,
  graceMinutes: Number,
  priority: Number,
  kinds: (value) => value.split(','),
  logo: (value) => value.slice(8, -5),
  opensAt: toTime,
  closesAt: toTime,
};

const sent = (fields: Partial<Fields>) =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      value === '' ? null : typeof value === 'string' ? (TO_API[name]?.(value) ?? value) : value,
    ]),
  );

/** Fields that may change in every state of a pool. */
const AFTER_END = ['name', 'matcherName', 'isMatcherAnonymous', 'logo', 'url', 'dueOn'];
const WHILE_OPEN = [...AFTER_END, 'cap', 'closesAt', 'priority'];

/** Returns the fields that may change in this state; undefined for all fields. */
const changeable = (status: MatchPoolDto['status'] | undefined): readonly string[] | undefined =>
  status === undefined || status === 'draft' || status === 'scheduled'
    ? undefined
    : status === 'open' || status === 'paused'
      ? WHILE_OPEN
      : AFTER_END;

interface DialogProps {
  readonly eventId: string;
  readonly currency: string;
  readonly pool: MatchPoolDto | undefined;
  readonly onClose: () => void;
}

/** Adds or changes a match pool. */
export function MatchPoolDialog({ eventId, currency, pool, onClose }: DialogProps) {
  const title = pool?.name ?? t('match.add');
  const [read, setRead] = useState(() => fieldsOf(pool));
  /** The newest state that this page has read. */
  const [latest, setLatest] = useState(pool);
  const form = useForm<Fields>(`match.${eventId}.${pool?.id ?? 'new'}`, title, fieldsOf(pool), (was) =>
    setRead((before) => ({ ...before, ...was })),
  );
  const conflict = useConflict();
  const now = Object.fromEntries(
    Object.keys(read).map((name) => [name, form.field(name as keyof Fields)[0]]),
  ) as unknown as Fields;
  // The server compares versions. A change of other fields is no conflict, and the request is repeated with the new version.
  const update = async (known: Fields, base: MatchPoolDto): Promise<void> => {
    const { changes } = changeOf<Fields>(known, now);
    const stored = fieldsOf(base);
    const clashing = (Object.keys(changes) as (keyof Fields)[]).filter(
      (name) => known[name] !== stored[name],
    );
    setLatest(base);
    if (clashing.length > 0) {
      const fields = clashing.map((field) => ({ field, value: shown(field, stored) }));
      throw new ApiError(409, 'EDIT_CONFLICT', '', undefined, fields);
    }
    try {
      const body = { ...sent(changes), version: base.version };
      await api(`/match-pools/${base.id}`, { method: 'PATCH', body });
    } catch (error) {
      if (!hasCode(error, 'MATCH_POOL_CHANGED')) throw error;
      await update(known, await api<MatchPoolDto>(`/match-pools/${base.id}`));
    }
  };
  const save = (known: Fields) =>
    conflict.trying(async () => {
      if (latest) await update(known, latest);
      else await api('/match-pools', { method: 'POST', body: { eventId, ...sent(now) } });
      changed('/match-pools');
      say(t('state.saved'));
      onClose();
    });
  /** The values of the other person, for the fields in conflict. */
  const theirs = (): Partial<Fields> => {
    const stored = fieldsOf(latest);
    return Object.fromEntries(conflict.fields.map(({ field }) => [field, stored[field as keyof Fields]]));
  };
  const take = (): Fields => {
    const known = { ...read, ...theirs() };
    setRead(known);
    return known;
  };
  return (
    <FormDialog
      form={form}
      title={title}
      submit={pool ? t('action.save') : t('match.add')}
      disabled={!now.cap || now.name.trim() === '' || now.remainder === ''}
      onClose={onClose}
      onSave={() => save(read)}
    >
      <ConflictNote
        fields={conflict.fields}
        currency={currency}
        onMine={() => save(take())}
        onTheirs={() => {
          form.set(theirs());
          take();
          conflict.clear();
        }}
      />
      <PoolFields form={form} currency={currency} may={changeable(pool?.status)} />
    </FormDialog>
  );
}

/** Value of a field in conflict, for its sentence. */
const shown = (field: keyof Fields, stored: Fields): unknown => {
  const value = stored[field];
  return field === 'opensAt' || field === 'closesAt' ? dateTime(stored[field]) : value;
};

type Named<Value> = { [Name in keyof Fields]: Fields[Name] extends Value ? Name : never }[keyof Fields];

function PoolFields({
  form,
  currency,
  may,
}: {
  form: Form<Fields>;
  currency: string;
  /** Undefined for all fields. */
  may: readonly string[] | undefined;
}) {
  const [remainder, setRemainder] = form.field('remainder');
  const [isAnonymous, setAnonymous] = form.field('isMatcherAnonymous');
  const [pledges, setPledges] = form.field('pledges');
  const [kinds, setKinds] = form.field('kinds');
  const [logo, setLogo] = form.field('logo');
  const chosen = kinds.split(',');
  const isFree = may === undefined;
  const text = (
    name: Named<string>,
    label: string,
    rest: Partial<Parameters<typeof TextField>[0]> = { optional: true },
  ) => {
    const [value, onValue] = form.field(name);
    if (may && !may.includes(name)) return null;
    return <TextField label={label} value={value} onValue={onValue} error={form.error(name)} {...rest} />;
  };
  const amount = (
    name: 'cap' | 'perGiftCap' | 'perDonorCap' | 'minGift',
    label: string,
    rest: { readonly hint?: string; readonly optional?: boolean } = { optional: true },
  ) => {
    const [value, onValue] = form.field(name);
    if (may && !may.includes(name)) return null;
    return (
      <MoneyField
        label={label}
        currency={currency}
        value={value ?? null}
        onValue={onValue}
        error={form.error(name)}
        {...rest}
      />
    );
  };
  const count = (most: number, least = 1) =>
    ({ type: 'number', min: least, max: most, required: true }) as const;
  return (
    <>
      {!isFree && <p class="note">{t('match.fixed')}</p>}
      {text('name', t('donor.name'), { maxLength: 80, required: true, autoFocus: isFree })}
      <div class="pair">
        {amount('cap', t('match.cap'), { hint: t('match.capHint') })}
        {text('ratio', t('match.ratio'), { ...count(1000, 0.01), step: '0.01', hint: t('match.ratioHint') })}
      </div>
      {isFree && (
        <SelectField
          label={t('match.remainder')}
          value={remainder}
          choices={(['', 'not_given', 'given_anyway'] as const).map((value) => ({
            value,
            label: value && t(`match.remainder.${value}`),
          }))}
          onValue={setRemainder}
        />
      )}
      {text('matcherName', t('match.matcher'), { maxLength: 120, optional: true })}
      {text('url', t('match.url'), { type: 'url', maxLength: 300, optional: true })}
      <ImageField
        label={t('settings.logo')}
        value={logo}
        onValue={(path) => setLogo(path ?? '')}
        isUploadOnly
      />
      <CheckField label={t('match.anonymous')} checked={isAnonymous} onChecked={setAnonymous} />
      <div class="pair">
        {text('matcherEmail', t('match.email'), {
          type: 'email',
          optional: true,
          hint: t('match.emailHint'),
        })}
      </div>
      <div class="pair">
        {text('opensAt', t('match.opensAt'), {
          type: 'datetime-local',
          optional: true,
          hint: t('match.opensAtHint'),
        })}
        {text('closesAt', t('match.closesAt'), {
          type: 'datetime-local',
          optional: true,
          hint: t('match.closesAtHint'),
        })}
      </div>
      <div class="pair">
        {amount('perGiftCap', t('match.perGiftCap'))}
        {amount('perDonorCap', t('match.perDonorCap'))}
        {amount('minGift', t('match.minGift'))}
        {text('dueOn', t('match.dueOn'), { type: 'date', optional: true })}
      </div>
      {isFree && (
        <>
          <SelectField
            label={t('match.pledges')}
            value={pledges}
            choices={(['when_paid', 'keep'] as const).map((value) => ({
              value,
              label: t(`match.pledges.${value}`),
            }))}
            onValue={setPledges}
          />
          {pledges === 'keep' && text('keepDays', t('match.keepDays'), count(90))}
          {text('graceMinutes', t('match.graceMinutes'), count(2880, 0))}
          <fieldset>
            <legend class="field__label">{t('match.kinds')}</legend>
            {TYPES.map((kind) => (
              <CheckField
                key={kind}
                label={t(`type.${kind}`)}
                checked={chosen.includes(kind)}
                onChecked={(isOn) =>
                  setKinds(TYPES.filter((one) => (one === kind ? isOn : chosen.includes(one))).join())
                }
              />
            ))}
          </fieldset>
        </>
      )}
      {text('priority', t('match.priority'), count(1000))}
    </>
  );
}
