import { useEffect, useState } from 'preact/hooks';
import type { FloorInbox, OwnFloorRequest, RequestKind } from '../../src/floor/dto/floor.dto.js';
import type { ask } from '../pos/api.js';
import type { Field } from '../pos/parts.jsx';
import type { Session } from '../pos/sessions.js';
import type { announce } from '../pos/signals.js';
import type { isLanguage, locale } from '../pos/texts.js';
import type { till } from '../pos/till.js';
import type { useValue, Value } from '../pos/value.js';
import de from './texts/de.json';
import en from './texts/en.json';
import es from './texts/es.json';
import fr from './texts/fr.json';
import it from './texts/it.json';
import nl from './texts/nl.json';

const TABLES = { de, en, es, fr, it, nl } as const;
const KINDS = ['change', 'help', 'record', 'card_reader'] as const satisfies readonly RequestKind[];
const EMPTY: FloorInbox = { messages: [], requests: [] };

/**
 * The parts of the till that this module uses. They are arguments and not imports, because the till loads this module later: an
 * import would split the script of the till into more files.
 */
export interface TillKit {
  readonly ask: typeof ask;
  readonly Field: typeof Field;
  readonly announce: typeof announce;
  readonly isLanguage: typeof isLanguage;
  readonly locale: typeof locale;
  readonly till: typeof till;
  readonly useValue: typeof useValue;
  readonly Value: typeof Value;
}

/** Messages of the dashboard, and requests to it. */
export function floorOf({ ask, Field, announce, isLanguage, locale, till, useValue, Value }: TillKit) {
  const inbox = new Value<FloorInbox>(EMPTY);
  /** Messages and states of requests on which the member pressed "OK". */
  const done = new Value<ReadonlySet<string>>(new Set());

  const t = (name: keyof typeof en): string => {
    const [language = ''] = locale.now.split('-', 1);
    return TABLES[isLanguage(language) ? language : 'en'][name];
  };

  const stateOf = ({ seenAt, closedAt }: OwnFloorRequest): string =>
    t(closedAt ? 'closed' : seenAt ? 'seen' : 'sent');

  /** Reads the inbox again. Sends an "OK" again that did not reach the server. */
  async function look({ token, ended }: Session): Promise<void> {
    if (ended) return;
    try {
      const found = await ask<FloorInbox>('/floor-messages/inbox', { token });
      // Another member may have signed in meanwhile.
      if (till.sessions.session.now?.token !== token) return;
      inbox.set(found);
      for (const { id } of found.messages) if (done.now.has(id)) await read(id, token);
    } catch (error) {
      await noticeEnd(error, token);
    }
  }

  const read = (id: string, token: string) =>
    ask(`/floor-messages/${id}/read`, { method: 'POST', token }).catch(() => undefined);

  async function noticeEnd(error: unknown, token: string): Promise<void> {
    if ((error as { status?: number }).status === 401) await till.sessions.ended(token);
  }

  /** Messages of the dashboard, and answers to the own requests, each with "OK". */
  function Strip({ session }: { session: Session }) {
    const { messages, requests } = useValue(inbox);
    const marks = useValue(done);
    useValue(locale);
    useEffect(() => {
      const again = () => void look(session);
      till.readInbox = again;
      again();
      return () => {
        till.readInbox = undefined;
        inbox.set(EMPTY);
      };
    }, [session.token]);
    const ok = (mark: string, isMessage: boolean) => {
      done.set(new Set(done.now).add(mark));
      if (isMessage) void read(mark, session.token).then(() => look(session));
    };
    const lines = [
      ...messages.map(({ id, text }) => ({ mark: id, text, isMessage: true })),
      ...requests
        .filter(({ seenAt, closedAt }) => seenAt !== null || closedAt !== null)
        .map((one) => ({
          mark: `${one.id}${one.closedAt ? ' closed' : ''}`,
          text: `${t(one.kind)}: ${stateOf(one)}`,
          isMessage: false,
        })),
    ].filter(({ mark }) => !marks.has(mark));
    return (
      <div class="banners">
        {lines.map(({ mark, text, isMessage }) => (
          <p key={mark} class="note banner" role="alert" data-strip={isMessage ? 'message' : 'answer'}>
            <span>{text}</span>
            <button type="button" class="link" onClick={() => ok(mark, isMessage)}>
              {t('ok')}
            </button>
          </p>
        ))}
      </div>
    );
  }

  /**
   * Four buttons that ask the dashboard. A request is sent at once or not at all: a call for help that arrives when the network is
   * back would send somebody to a table that needs nothing any more.
   */
  function Requests({ session }: { session: Session }) {
    const online = useValue(till.sender.online);
    const { requests } = useValue(inbox);
    const [place, setPlace] = useState('');
    const [problem, setProblem] = useState<string>();
    const [busy, setBusy] = useState(false);
    const time = new Intl.DateTimeFormat(useValue(locale), { timeStyle: 'short' });
    const send = async (kind: RequestKind) => {
      if (busy) return;
      setBusy(true);
      setProblem(undefined);
      try {
        const body = { kind, ...(place.trim() !== '' && { place: place.trim() }) };
        await ask('/floor-requests', { method: 'POST', token: session.token, body });
        setPlace('');
        announce(t('sent'));
        await look(session);
      } catch (error) {
        // Only a refusal of the server has a code.
        setProblem(t('code' in (error as object) ? 'failed' : 'offline'));
        await noticeEnd(error, session.token);
      }
      setBusy(false);
    };
    const isOff = !online || session.ended === true;
    const note = problem ?? (isOff ? t('offline') : undefined);
    return (
      <section class="card panel stack">
        <h2 class="part__title">{t('title')}</h2>
        <Field label={t('place')} value={place} maxLength={12} onChange={setPlace} />
        <div class="actions">
          {KINDS.map((kind) => (
            <button
              key={kind}
              type="button"
              class="button button--quiet"
              disabled={busy || isOff}
              onClick={() => void send(kind)}
            >
              {t(kind)}
            </button>
          ))}
        </div>
        {note !== undefined && (
          <p class="note note--warn" role="status">
            {note}
          </p>
        )}
        {requests.map((one) => (
          <p key={one.id} data-ask={one.kind}>
            {time.format(new Date(one.createdAt))} · {t(one.kind)}
            {one.place !== null && ` (${one.place})`}: {stateOf(one)}
          </p>
        ))}
      </section>
    );
  }

  return { Strip, Requests };
}
