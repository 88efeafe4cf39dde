import { useState } from 'preact/hooks';
import type { EventSettingsDto } from '../../../src/events/dto/event-settings.dto.js';
import type { WallControl } from '../../../src/gateway/live-messages.js';
import { TextField } from '../../desk/fields.js';
import { Problem, useSending } from '../../desk/sending.js';
import { Pill } from '../../desk/states.js';
import { t } from '../../desk/texts.js';
import { say } from '../../desk/toast.js';
import { once } from '../../kit/clicks.js';
import { api } from '../api/client.js';
import type { Live } from '../live.js';

/** Maximum length of a message on the walls, the same as in the settings. */
const LONGEST = 140;
const SCENES = ['wall', 'qr', 'board'] as const;

/** Shows the content of the event's walls, and buttons that change it. The server sends a changed setting to all walls. */
export function WallRemote({ eventId, live }: { eventId: string; live: Live }) {
  const [typed, setTyped] = useState('');
  const [stored, setStored] = useState<WallControl>();
  const { busy, problem, send } = useSending();
  const isLive = live.connection === 'live';
  // While connected, this is the walls' current content. Without a connection, it is the server's last known content.
  const shown = isLive ? live.control : (stored ?? live.control);
  const change = (wall: Partial<WallControl>, after?: () => void) =>
    send(async () => {
      const settings = await api<EventSettingsDto>(`/events/${eventId}/settings`, {
        method: 'PATCH',
        body: { live: { wall } },
      });
      const { scene, notice, paused } = settings.live.wall;
      setStored({ scene, notice, paused });
      after?.();
      say(t('remote.told'));
    });
  return (
    <section class="panel remote" aria-labelledby="remote" aria-busy={busy}>
      <header class="panel__head">
        <h2 class="panel__title" id="remote">
          {t('remote.title')}
        </h2>
        {isLive && shown && (
          <span role="status">
            <Pill tone={shown.paused ? 'warn' : 'good'}>
              {t(shown.paused ? 'remote.isPaused' : 'remote.isRunning')}
            </Pill>
          </span>
        )}
      </header>
      {live.connection === 'lost' && <Problem tone="warn" text={t('remote.lost')} />}
      <Problem text={problem} />
      <div class="remote__row">
        <div class="segments" role="group" aria-label={t('remote.scene')}>
          {SCENES.map((scene) => (
            <button
              key={scene}
              type="button"
              class="segments__one"
              aria-pressed={shown?.scene === scene}
              onClick={() => void change({ scene })}
            >
              {t(`remote.scene.${scene}`)}
            </button>
          ))}
        </div>
        <button
          type="button"
          class={shown?.paused ? 'button' : 'button button--quiet'}
          onClick={once(() => change({ paused: !shown?.paused }))}
        >
          {t(shown?.paused ? 'remote.resume' : 'remote.pause')}
        </button>
      </div>
      {shown?.paused && <p class="note note--warn">{t('remote.paused')}</p>}
      {shown && shown.notice !== '' && (
        <p class="remote__shown">
          <span>
            <span class="lines__meta">{t('remote.shown')}</span> <strong dir="auto">{shown.notice}</strong>
          </span>
          <button
            type="button"
            class="button button--quiet button--small"
            onClick={() => void change({ notice: '' })}
          >
            {t('remote.clear')}
          </button>
        </p>
      )}
      <form
        class="remote__notice"
        onSubmit={(submit) => {
          submit.preventDefault();
          if (typed.trim() !== '') void change({ notice: typed.trim() }, () => setTyped(''));
        }}
      >
        <TextField
          label={t('remote.notice')}
          hint={t('remote.noticeHint')}
          value={typed}
          onValue={setTyped}
          maxLength={LONGEST}
          autoComplete="off"
        />
        <button type="submit" class="button button--quiet" disabled={typed.trim() === ''}>
          {t('remote.show')}
        </button>
      </form>
    </section>
  );
}
