import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { amountOf, DOUBLE_ZERO, entryOf, erase, POINT, press, separatorOf, shownEntry } from './amounts.js';
import { DonorFields } from './donor-fields.jsx';
import { LastRecord } from './last-record.jsx';
import { exponentOf } from './model.js';
import type { KeptTeam } from './guests.js';
import { Dialog, Field, Icon, Keypad, kindName } from './parts.jsx';
import { EMPTY_DRAFT, hasBadEmail, type Kind, KINDS, trimmed } from './records.js';
import { judge, nextKind } from './recording.js';
import type { Session } from './sessions.js';
import { announce } from './signals.js';
import { locale, t } from './texts.js';
import { till } from './till.js';
import { useValue } from './value.js';

/** Text key of the missing input: the amount, the kind, or both. */
const missingOf = (hasAmount: boolean, hasKind: boolean) => {
  if (hasAmount === hasKind) return 'till.recordNothing';
  return hasAmount ? 'till.recordKind' : 'till.recordAmount';
};

export function TillScreen({ session }: { session: Session }) {
  const { event, rules } = session;
  const draft = useValue(till.draft);
  const spoken = useValue(locale);
  const storage = useValue(till.storage);
  const last = useValue(till.last);
  const teams = useValue(till.guests.teams);
  const { ownerId, typed } = useValue(till.team);
  const team = ownerId === session.user.id ? typed.trim() : '';
  const teamId = teamNamed(teams, team)?.id;
  const [asking, setAsking] = useState<'confirm' | 'too large' | 'not kept'>();
  const [checked, setChecked] = useState(false);
  const details = useRef<HTMLDetailsElement>(null);
  /** Set at the tap, before the page is drawn again, so that a fast second tap has no effect. */
  const busy = useRef(false);
  const exponent = exponentOf(event.currency);
  const amount = amountOf(draft.entry, exponent);
  const ready = amount > 0 && draft.kind !== undefined && storage !== 'broken';
  const missing = missingOf(amount > 0, draft.kind !== undefined);

  const change = (entry: string) => {
    if (draft.entry === '' && entry !== '') void till.checkStorage();
    if (entry === '' && draft.kind === undefined && Object.keys(draft.donor).length === 0)
      till.draft.set(EMPTY_DRAFT);
    else till.draft.set({ ...till.draft.now, entry });
  };
  const choose = (kind: Kind) => till.draft.set({ ...till.draft.now, kind });
  const onKey = (key: string) => change(press(till.draft.now.entry, key, exponent));
  const onErase = () => change(erase(till.draft.now.entry));

  const record = async (confirmed: boolean) => {
    const { kind, donor, entry } = till.draft.now;
    const sum = amountOf(entry, exponent);
    if (busy.current) return;
    if (kind === undefined && sum > 0) {
      announce(t('till.chooseKind'));
      document.querySelector<HTMLInputElement>('.kinds input')?.focus();
    }
    if (kind === undefined || sum === 0 || till.storage.now === 'broken') return;
    setChecked(true);
    if (hasBadEmail(donor)) {
      announce(t('donor.emailWrong'));
      details.current?.setAttribute('open', '');
      details.current?.querySelector<HTMLInputElement>('input[type=email]')?.focus();
      return;
    }
    if (team !== '' && teamId === undefined) {
      announce(t('till.teamUnknown'));
      document.querySelector<HTMLInputElement>('input[list]')?.focus();
      return;
    }
    const verdict = judge(sum, rules);
    if (verdict === 'too large' || (verdict === 'confirm' && !confirmed)) {
      setAsking(verdict);
      return;
    }
    busy.current = true;
    try {
      await till.record({ amount: sum, type: kind, donor, teamId, confirmed });
      till.draft.set(EMPTY_DRAFT);
      setAsking(undefined);
      setChecked(false);
      details.current?.removeAttribute('open');
      announce(t('till.kept', { amount: till.money(sum, event), kind: kindName(kind) }));
    } catch {
      setAsking('not kept');
    } finally {
      busy.current = false;
    }
  };
  useKeyboard({
    onKey,
    onErase,
    onRecord: () => void record(false),
    onClear: () => till.draft.set(EMPTY_DRAFT),
    onKind: (step) => {
      const kind = nextKind(KINDS, till.draft.now.kind, step);
      if (kind) {
        choose(kind);
        announce(kindName(kind));
      }
    },
  });

  const extra =
    exponent === 0
      ? { label: DOUBLE_ZERO, key: DOUBLE_ZERO, name: DOUBLE_ZERO }
      : { label: separatorOf(spoken), key: POINT, name: t('till.point') };
  return (
    <div class="till">
      <h1 class="visually-hidden">{t('nav.till')}</h1>
      <section class="till__amount" aria-label={t('amount')}>
        {draft.entry === '' && last !== undefined ? (
          <LastRecord recordKey={last} session={session} />
        ) : (
          <output class="display number" data-amount={amount} aria-label={t('amount')}>
            {shownEntry(draft.entry, event.currency, spoken)}
          </output>
        )}
        <div class="presets" role="group" aria-label={t('till.presets')}>
          {rules.presets.slice(0, 4).map((preset) => (
            <button
              key={preset}
              type="button"
              class="preset"
              onClick={() => change(entryOf(preset, exponent))}
            >
              {till.shortMoney(preset, event)}
            </button>
          ))}
        </div>
        <Keypad extra={extra} onKey={onKey} onErase={onErase} disabled={storage === 'broken'} />
      </section>
      <section class="till__rest">
        <fieldset class="kinds">
          <legend class="visually-hidden">{t('kind')}</legend>
          {KINDS.map((kind) => (
            <label key={kind} class="kind">
              <input
                class="visually-hidden"
                type="radio"
                name="kind"
                value={kind}
                checked={draft.kind === kind}
                onChange={() => choose(kind)}
              />
              <span class="kind__face">
                <Icon of={kind} />
                {kindName(kind)}
              </span>
            </label>
          ))}
        </fieldset>
        {(teams.length > 0 || team !== '') && (
          <Field
            label={t('till.team')}
            value={ownerId === session.user.id ? typed : ''}
            problem={checked && team !== '' && teamId === undefined ? t('till.teamUnknown') : undefined}
            offers={teams.map(({ name, number }) => ({ value: name, note: number?.toString() }))}
            onChange={(text) => till.team.set({ ownerId: session.user.id, typed: text })}
          />
        )}
        <details ref={details} class="donor">
          <summary class="donor__summary">{trimmed(draft.donor.donorName) ?? t('donor.add')}</summary>
          <DonorFields
            donor={draft.donor}
            checked={checked}
            onChange={(donor) => till.draft.set({ ...till.draft.now, donor })}
          />
        </details>
        <button
          type="button"
          class="button button--record"
          aria-disabled={!ready}
          onClick={() => void record(false)}
        >
          {ready ? t('till.record', { amount: till.money(amount, event) }) : t(missing)}
          {ready && <span class="button__kind">{kindName(draft.kind)}</span>}
        </button>
      </section>
      {asking === 'confirm' && (
        <Dialog title={t('till.large')} onClose={() => setAsking(undefined)}>
          <p class="dialog__amount number">{till.money(amount, event)}</p>
          <p>{t('till.largeText', { limit: till.money(rules.confirmAbove ?? 0, event) })}</p>
          <div class="actions">
            <button type="button" class="button" onClick={() => void record(true)}>
              {t('till.confirm', { amount: till.money(amount, event) })}
            </button>
            <button type="button" class="button button--quiet" autoFocus onClick={() => setAsking(undefined)}>
              {t('till.correctAmount')}
            </button>
          </div>
        </Dialog>
      )}
      {asking === 'too large' && (
        <Dialog title={t('till.tooLarge')} onClose={() => setAsking(undefined)}>
          <p>{t('till.tooLargeText', { limit: till.money(rules.maxAmount ?? 0, event) })}</p>
          <div class="actions">
            <button type="button" class="button" onClick={() => setAsking(undefined)}>
              {t('till.correctAmount')}
            </button>
          </div>
        </Dialog>
      )}
      {asking === 'not kept' && (
        <Dialog alert title={t('notKept.title')} onClose={() => setAsking(undefined)}>
          <p class="dialog__amount number">{till.money(amount, event)}</p>
          <p>{t('notKept.text')}</p>
          <div class="actions">
            <button type="button" class="button" onClick={() => setAsking(undefined)}>
              {t('understood')}
            </button>
          </div>
        </Dialog>
      )}
    </div>
  );
}

/** Returns the team with this name, or else with this number. */
function teamNamed(teams: readonly KeptTeam[], typed: string): KeptTeam | undefined {
  const name = typed.toLowerCase();
  return (
    teams.find((team) => team.name.toLowerCase() === name) ??
    teams.find(({ number }) => number?.toString() === name)
  );
}

interface Keys {
  readonly onKey: (key: string) => void;
  readonly onErase: () => void;
  readonly onRecord: () => void;
  readonly onClear: () => void;
  readonly onKind: (step: 1 | -1) => void;
}

/** Keys of a keyboard: digits for the amount, plus and minus for the kind, Enter to record, Escape to start again. */
function useKeyboard(keys: Keys): void {
  const latest = useRef(keys);
  latest.current = keys;
  // A layout effect starts before the screen is visible, so that no early digit is lost.
  useLayoutEffect(() => {
    const listen = (event: KeyboardEvent) => {
      const { target, key } = event;
      const inField =
        target instanceof Element && target.closest('input:not([type=radio]), textarea, select');
      if (inField || event.ctrlKey || event.metaKey || event.altKey || document.querySelector('dialog[open]'))
        return;
      const now = latest.current;
      if (/^\d$/.test(key)) now.onKey(key);
      else if (key === '.' || key === ',') now.onKey(POINT);
      else if (key === 'Backspace') now.onErase();
      else if (key === 'Escape') now.onClear();
      else if (key === '+') now.onKind(1);
      else if (key === '-') now.onKind(-1);
      else if (key === 'Enter' && !event.repeat && entersAmount(target)) now.onRecord();
      else return;
      event.preventDefault();
    };
    addEventListener('keydown', listen);
    return () => removeEventListener('keydown', listen);
  }, []);
}

/** True if the Enter key should record: the focus is not on another control that reacts to Enter. */
const entersAmount = (target: EventTarget | null): boolean =>
  !(target instanceof Element) ||
  !target.closest('button, a, summary') ||
  target.closest('.keypad, .presets') !== null;
