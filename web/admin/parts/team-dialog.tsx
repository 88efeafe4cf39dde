import { useState } from 'preact/hooks';
import type { TeamDto, TeamList } from '../../../src/teams/dto/team.dto.js';
import { CheckField, MoneyField, SelectField, TextField } from '../../desk/fields.js';
import { FormDialog } from '../../desk/form-dialog.js';
import { t } from '../../desk/texts.js';
import { say } from '../../desk/toast.js';
import { api } from '../api/client.js';
import { ApiError } from '../api/errors.js';
import { changed } from '../api/query.js';
import { changeOf, ConflictNote, theirs, useConflict } from './edit-conflict.js';
import type { DeskEvent } from './events.js';
import { type Form, useForm } from './form.js';
import { ImageField } from './image-field.js';
import { copyAddress, donateAddress, PrintCodes, teamsPath } from './teams.js';

const KINDS = ['table', 'team', 'person'] as const satisfies readonly TeamDto['kind'][];

interface Fields {
  readonly kind: TeamDto['kind'];
  readonly name: string;
  readonly number: string;
  readonly seats: string;
  /** Null for an empty field, undefined for an invalid amount. */
  readonly goalAmount: number | null | undefined;
  readonly slug: string;
  readonly isListed: boolean;
  readonly text: string;
  readonly image: string;
}

const NAMES = ['kind', 'name', 'number', 'seats', 'goalAmount', 'slug', 'isListed', 'text', 'image'] as const;

/** Converts values of the API to values of the form: numbers become texts, because their fields can be empty. */
const shown = (values: Partial<TeamDto>): Partial<Fields> =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      name === 'goalAmount' ? value : typeof value === 'number' ? String(value) : (value ?? ''),
    ]),
  );

/** Converts values of the form to values of the API. Without an address, the server makes one of the name. */
const sent = ({ slug, ...fields }: Partial<Fields>) => ({
  ...Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      value === '' ? null : name === 'number' || name === 'seats' ? Number(value) : value,
    ]),
  ),
  ...(slug ? { slug } : {}),
});

/** Names of fields in conflicts that mean something else in other forms. */
const CONFLICTS: Readonly<Record<string, string>> = { kind: 'team.kind', text: 'moment.text' };

const EMPTY: Fields = {
  kind: 'team',
  name: '',
  number: '',
  seats: '',
  goalAmount: null,
  slug: '',
  isListed: true,
  text: '',
  image: '',
};

const fieldsOf = (team: TeamDto | undefined): Fields =>
  team ? { ...EMPTY, ...shown(Object.fromEntries(NAMES.map((name) => [name, team[name]]))) } : EMPTY;

/** Adds or changes a table, a team or a person. */
export function TeamDialog({
  event,
  team,
  onClose,
}: {
  event: DeskEvent;
  team: TeamDto | undefined;
  onClose: () => void;
}) {
  const [read, setRead] = useState(() => fieldsOf(team));
  const title = team?.name ?? t('team.add');
  const form = useForm<Fields>(`team.${event.id}.${team?.id ?? 'new'}`, title, read, (was) =>
    setRead((before) => ({ ...before, ...was })),
  );
  const conflict = useConflict();
  const [isDeleting, setDeleting] = useState(false);
  const now = Object.fromEntries(NAMES.map((name) => [name, form.field(name)[0]])) as unknown as Fields;
  const save = (known: Fields) =>
    conflict.trying(async () => {
      if (team) {
        const { changes, expected } = changeOf<Fields>(known, now);
        const body = { ...sent(changes), expected: sent(expected) };
        await api(`/teams/${team.id}`, { method: 'PATCH', body });
      } else await api(teamsPath(event.id), { method: 'POST', body: sent(now) });
      changed(teamsPath(event.id));
      say(t('state.saved'));
      onClose();
    });
  const take = () => {
    const known = { ...read, ...shown(theirs<TeamDto>(conflict.fields)) };
    setRead(known);
    return known;
  };
  if (isDeleting && team) return <DeleteDialog event={event} team={team} onClose={onClose} />;
  return (
    <FormDialog
      form={form}
      title={title}
      submit={team ? t('action.save') : t('team.add')}
      disabled={now.goalAmount === undefined || now.name.trim() === ''}
      onClose={onClose}
      onSave={() => save(read)}
      more={
        team && (
          <>
            <button type="button" class="button button--quiet button--bad" onClick={() => setDeleting(true)}>
              {t('team.delete')}
            </button>
            {team.isListed && <PrintCodes event={event} team={team} />}
          </>
        )
      }
    >
      <ConflictNote
        fields={conflict.fields.map(({ field, ...one }) => ({
          ...one,
          field: CONFLICTS[field] ?? field,
        }))}
        currency={event.currency}
        onMine={() => save(take())}
        onTheirs={() => {
          const known = take();
          form.set(
            Object.fromEntries(conflict.fields.map(({ field }) => [field, known[field as keyof Fields]])),
          );
          conflict.clear();
        }}
      />
      {team?.isListed && (
        <p class="field__hint">
          <span class="mono">{donateAddress(event, team)}</span>{' '}
          <button type="button" class="linkbutton" onClick={() => copyAddress(event, team)}>
            {t('action.copy')}
          </button>
        </p>
      )}
      <TeamFields form={form} event={event} isNew={team === undefined} />
    </FormDialog>
  );
}

function TeamFields({ form, event, isNew }: { form: Form<Fields>; event: DeskEvent; isNew: boolean }) {
  const [kind, setKind] = form.field('kind');
  const [name, setName] = form.field('name');
  const [number, setNumber] = form.field('number');
  const [seats, setSeats] = form.field('seats');
  const [goalAmount, setGoal] = form.field('goalAmount');
  const [slug, setSlug] = form.field('slug');
  const [isListed, setListed] = form.field('isListed');
  const [text, setText] = form.field('text');
  const [image, setImage] = form.field('image');
  return (
    <>
      <SelectField
        label={t('donation.kind')}
        value={kind}
        choices={KINDS.map((value) => ({ value, label: t(`team.kind.${value}`) }))}
        onValue={setKind}
      />
      <TextField
        label={t('donor.name')}
        value={name}
        onValue={setName}
        error={form.error('name')}
        maxLength={60}
        autoFocus={isNew}
        required
      />
      <div class="pair">
        <TextField
          label={t('team.number')}
          type="number"
          min={1}
          max={9_999}
          value={number}
          onValue={setNumber}
          error={form.error('number')}
          optional
        />
        <Seats value={seats} onValue={setSeats} error={form.error('seats')} />
      </div>
      <MoneyField
        label={t('event.goal')}
        currency={event.currency}
        value={goalAmount ?? null}
        onValue={setGoal}
        error={form.error('goalAmount')}
        optional
      />
      <TextField
        label={t('event.slug')}
        hint={t(isNew ? 'team.slugNew' : 'team.slugHint')}
        value={slug}
        onValue={setSlug}
        error={form.error('slug')}
        maxLength={40}
        optional={isNew}
        required={!isNew}
      />
      {kind === 'person' && (
        <>
          <TextField
            label={t('moment.text')}
            rows={4}
            value={text}
            onValue={setText}
            error={form.error('text')}
            maxLength={500}
            optional
          />
          <ImageField
            label={t('milestone.image')}
            value={image}
            onValue={(path) => setImage(path ?? '')}
            isUploadOnly
          />
        </>
      )}
      <CheckField
        label={t('team.isListed')}
        hint={t('team.isListedHint')}
        checked={isListed}
        onChecked={setListed}
      />
    </>
  );
}

const Seats = ({
  value,
  onValue,
  error,
}: {
  value: string;
  onValue: (value: string) => void;
  error?: string | undefined;
}) => (
  <TextField
    label={t('team.seats')}
    hint={t('team.seatsHint')}
    type="number"
    min={1}
    max={1_000}
    value={value}
    onValue={onValue}
    error={error}
    optional
  />
);

/** Deletes a team. A team with donations cannot be deleted, so the dialog offers to take it off the list. */
function DeleteDialog({ event, team, onClose }: { event: DeskEvent; team: TeamDto; onClose: () => void }) {
  const [isKept, setKept] = useState(team.gifts > 0);
  const done = () => {
    changed(teamsPath(event.id));
    say(t('state.done'));
    onClose();
  };
  const unlist = async () => {
    await api(`/teams/${team.id}`, { method: 'PATCH', body: { isListed: false } });
    done();
  };
  const remove = async () => {
    try {
      await api(`/teams/${team.id}`, { method: 'DELETE' });
    } catch (error) {
      if (!(error instanceof ApiError && error.code === 'TEAM_HAS_DONATIONS')) throw error;
      setKept(true);
      return;
    }
    done();
  };
  return (
    <FormDialog
      title={t('milestone.deleteTitle', { title: team.name })}
      submit={t(isKept ? 'team.unlist' : 'team.delete')}
      cancel={t('action.keep')}
      danger={!isKept}
      disabled={isKept && !team.isListed}
      onClose={onClose}
      onSave={isKept ? unlist : remove}
    >
      {isKept ? (
        <p class="note note--warn" role="alert">
          {t('problem.TEAM_HAS_DONATIONS')}
        </p>
      ) : (
        <p>{t('team.deleteText')}</p>
      )}
    </FormDialog>
  );
}

/** Adds numbered tables, or the tables of the guest list. */
export function TablesDialog({ event, onClose }: { event: DeskEvent; onClose: () => void }) {
  const [source, setSource] = useState<(typeof SOURCES)[number]>('numbers');
  const [count, setCount] = useState('10');
  const [name, setName] = useState(() => t('guest.field.table'));
  const [seats, setSeats] = useState('');
  const isByNumber = source === 'numbers';
  return (
    <FormDialog
      title={t('team.addTables')}
      submit={t('team.addTables')}
      disabled={name.trim() === '' || (isByNumber && !(Number(count) >= 1))}
      onClose={onClose}
      onSave={async () => {
        const body = isByNumber
          ? { count: Number(count), name, seats: seats === '' ? null : Number(seats) }
          : { name };
        const path = isByNumber ? 'tables' : 'tables-of-guests';
        await api<TeamList>(`${teamsPath(event.id)}/${path}`, { method: 'POST', body });
        changed(teamsPath(event.id));
        say(t('state.saved'));
        onClose();
      }}
    >
      <SelectField
        label={t('team.source')}
        hint={isByNumber ? undefined : t('team.guestsHint')}
        value={source}
        choices={SOURCES.map((value) => ({ value, label: t(`team.source.${value}`) }))}
        onValue={setSource}
      />
      {isByNumber && (
        <TextField
          label={t('team.count')}
          hint={t('team.countHint')}
          type="number"
          min={1}
          max={500}
          value={count}
          onValue={setCount}
          autoFocus
          required
        />
      )}
      <TextField
        label={t('team.before')}
        hint={t('team.beforeHint')}
        value={name}
        onValue={setName}
        maxLength={40}
        required
      />
      {isByNumber && <Seats value={seats} onValue={setSeats} />}
    </FormDialog>
  );
}

const SOURCES = ['numbers', 'guests'] as const;
