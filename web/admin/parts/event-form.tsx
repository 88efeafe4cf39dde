import { useState } from 'preact/hooks';
import { MoneyField, TextField } from '../../desk/fields.js';
import { t } from '../../desk/texts.js';
import { CurrencyField } from './currency-field.js';
import { type Change, changeOf, ConflictNote, theirs, useConflict } from './edit-conflict.js';
import type { DeskEvent } from './events.js';
import { useForm } from './form.js';

export interface EventFields {
  readonly name: string;
  readonly slug: string;
  readonly date: string;
  readonly goalAmount: number;
  readonly description: string;
  readonly currency: string;
}

/** The fields as the person types them: the date is local, and an amount can be empty or invalid. */
type Typed = Omit<EventFields, 'goalAmount'> & { readonly goalAmount: number | null | undefined };

/** Slug from a name: `Gala für Alle` → `gala-fuer-alle`. */
export const toSlug = (name: string): string =>
  name
    .replace(/[äöüßæøœ]/gi, (letter) => LETTERS[letter.toLowerCase()] ?? letter)
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 100);

const LETTERS: Readonly<Record<string, string>> = {
  ä: 'ae',
  ö: 'oe',
  ü: 'ue',
  ß: 'ss',
  æ: 'ae',
  ø: 'oe',
  œ: 'oe',
};

/** Converts a time to local time in the format of a date field, without a time zone. */
export function toLocal(iso: string): string {
  const at = new Date(iso);
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

interface FormProps {
  readonly event?: DeskEvent;
  /** Initial values, for example of a duplicated event. */
  readonly start?: Partial<EventFields>;
  readonly id: string;
  readonly currencyFixed?: boolean;
  /** Receives all fields, and separately the fields that the person changed. */
  readonly onSave: (fields: EventFields, change: Change<EventFields>) => Promise<void>;
}

/** The fields of an event. The caller draws the button, and connects it to the form by the form's id. */
export function EventForm({ event, start, id, currencyFixed = false, onSave }: FormProps) {
  const first: Partial<EventFields> = start ?? event ?? {};
  const [read, setRead] = useState<Partial<EventFields>>(event ?? {});
  const conflict = useConflict();
  const form = useForm<Typed>(
    `event.${event?.id ?? 'new'}`,
    event?.name ?? t('event.new'),
    {
      name: first.name ?? '',
      slug: first.slug ?? '',
      date: toLocal(first.date ?? new Date().toISOString()),
      goalAmount: first.goalAmount ?? null,
      description: first.description ?? '',
      currency: first.currency ?? 'eur',
    },
    ({ date: was, goalAmount, ...others }) =>
      setRead((before) => ({
        ...before,
        ...(event && others),
        ...(event &&
          was !== undefined &&
          toLocal(event.date) !== was && { date: new Date(was).toISOString() }),
        ...(event && typeof goalAmount === 'number' && { goalAmount }),
      })),
  );
  const [name, setName] = form.field('name');
  const [slug, setSlug] = form.field('slug');
  const [ownSlug, setOwnSlug] = useState(event !== undefined);
  const [date, setDate] = form.field('date');
  const [goal, setGoal] = form.field('goalAmount');
  const [description, setDescription] = form.field('description');
  const [currency, setCurrency] = form.field('currency');
  const [problem, setProblem] = useState<string>();
  const save = async (from = read) => {
    if (goal === undefined) return;
    setProblem(undefined);
    const fields = {
      name: name.trim(),
      slug,
      // The field has no seconds. So an unchanged date keeps its original value with seconds.
      date: from.date !== undefined && toLocal(from.date) === date ? from.date : new Date(date).toISOString(),
      goalAmount: goal ?? 0,
      description,
      currency,
    };
    try {
      await form.saving(() => conflict.trying(() => onSave(fields, changeOf(from, fields))));
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
  };
  const changed = theirs<EventFields>(conflict.fields);
  const keepMine = async () => {
    const known = { ...read, ...changed };
    setRead(known);
    await save(known);
  };
  const takeTheirs = () => {
    setRead({ ...read, ...changed });
    if (changed.name !== undefined) setName(changed.name);
    if (changed.slug !== undefined) setSlug(changed.slug);
    if (changed.date !== undefined) setDate(toLocal(changed.date));
    if (changed.goalAmount !== undefined) setGoal(changed.goalAmount);
    if (changed.description !== undefined) setDescription(changed.description);
    if (changed.currency !== undefined) setCurrency(changed.currency);
    conflict.clear();
  };
  return (
    <form
      id={id}
      class="stack"
      onSubmit={(submit) => {
        submit.preventDefault();
        void save();
      }}
    >
      {form.note}
      <ConflictNote fields={conflict.fields} currency={currency} onMine={keepMine} onTheirs={takeTheirs} />
      {problem !== undefined && (
        <p class="note note--bad" role="alert">
          {problem}
        </p>
      )}
      <TextField
        label={t('event.name')}
        value={name}
        error={form.error('name')}
        maxLength={200}
        required
        autoFocus={event === undefined}
        onValue={(next) => {
          setName(next);
          if (!ownSlug) setSlug(toSlug(next));
        }}
      />
      <TextField
        label={t('event.slug')}
        value={slug}
        error={form.error('slug')}
        maxLength={100}
        required
        hint={t('event.slugHint', { address: `${location.host}/donate/${slug || '…'}` })}
        onValue={(next) => {
          setOwnSlug(true);
          setSlug(next);
        }}
      />
      <div class="pair">
        <TextField label={t('event.date')} type="datetime-local" value={date} onValue={setDate} required />
        <CurrencyField
          label={t('event.currency')}
          value={currency}
          disabled={currencyFixed}
          hint={currencyFixed ? t('event.currencyFixed') : undefined}
          onValue={setCurrency}
        />
      </div>
      <MoneyField
        label={t('event.goal')}
        currency={currency}
        value={goal ?? null}
        onValue={setGoal}
        hint={t('event.goalHint')}
        optional
      />
      <TextField
        label={t('event.description')}
        value={description}
        rows={3}
        maxLength={5000}
        onValue={setDescription}
        optional
      />
    </form>
  );
}
