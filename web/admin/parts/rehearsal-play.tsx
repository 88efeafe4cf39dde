import { useState } from 'preact/hooks';
import type { RehearsalReport } from '../../../src/rehearsal/report/dto/report.dto.js';
import { TextField } from '../../desk/fields.js';
import { Problem, useSending } from '../../desk/sending.js';
import { Failed, Skeleton } from '../../desk/states.js';
import { t } from '../../desk/texts.js';
import { api, queryOf } from '../api/client.js';
import { useQuery } from '../api/query.js';
import { spokenLanguage } from '../languages.js';
import { download } from './downloads.js';

const MARKS = { passed: '✓', failed: '✗', unknown: '?' };

/** Plays an evening of a rehearsal, and shows its checks. */
export function RehearsalPlay({ path }: { path: string }) {
  const language = spokenLanguage();
  const { data, error, reload } = useQuery<RehearsalReport>(`${path}/report${queryOf({ language })}`, {
    every: 15_000,
  });
  const [guests, setGuests] = useState('100');
  const [minutes, setMinutes] = useState('5');
  const { busy, problem, send } = useSending();
  const play = data?.play;
  const isPlaying = play?.endedAt === null;
  const run = () => {
    void send(async () => {
      await api(
        `${path}/play`,
        isPlaying
          ? { method: 'DELETE' }
          : { method: 'POST', body: { guests: Number(guests), minutes: Number(minutes) } },
      );
      reload();
    });
  };
  return (
    <>
      <TextField label={t('rehearsal.guests')} type="number" value={guests} onValue={setGuests} />
      <TextField label={t('rehearsal.minutes')} type="number" value={minutes} onValue={setMinutes} />
      <Problem text={problem} />
      <button type="button" class="button button--quiet" disabled={busy} onClick={run}>
        {t(isPlaying ? 'rehearsal.stop' : 'rehearsal.play')} {play && `${play.done}/${play.profile.guests}`}
      </button>
      {error && <Failed error={error} retry={reload} />}
      {!data && !error && <Skeleton rows={4} />}
      <ul>
        {data?.checks.map(({ name, state, title, missing, advice }) => (
          <li key={name}>
            {MARKS[state]} {title} {missing.join(', ')}
            {advice !== null && <p class="field__hint">{advice}</p>}
          </li>
        ))}
      </ul>
      <button
        type="button"
        class="button button--quiet"
        onClick={() =>
          void download(`${path}/report${queryOf({ format: 'pdf', language })}`, 'rehearsal.pdf')
        }
      >
        {t('rehearsal.report')}
      </button>
    </>
  );
}
