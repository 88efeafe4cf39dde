import { useState } from 'preact/hooks';
import type { AssignedStaff } from '../../../src/staff/dto/staff.dto.js';
import { LongList } from '../../desk/long-list.js';
import { Icon } from '../../desk/icons.js';
import { Empty, Failed, Skeleton } from '../../desk/states.js';
import { t } from '../../desk/texts.js';
import { say, sayError } from '../../desk/toast.js';
import { once } from '../../kit/clicks.js';
import { api } from '../api/client.js';
import { changed, useQuery } from '../api/query.js';
import { can } from '../me.js';
import { href } from '../router.js';

/** Team of an event. Members of the organization can be added. */
export function EventTeam({ eventId, slug }: { eventId: string; slug: string }) {
  const assigned = useQuery<readonly AssignedStaff[]>(`/events/${eventId}/staff?pins=false`);
  const [choosing, setChoosing] = useState(false);
  const all = useQuery<readonly AssignedStaff[]>(choosing ? '/staff?pins=false' : null);
  const [adding, setAdding] = useState('');
  const here = new Set((assigned.data ?? []).map(({ id }) => id));
  const others = (all.data ?? []).filter(({ id }) => !here.has(id));
  const assign = async (id: string) => {
    try {
      await api(`/events/${eventId}/staff/${id}`, { method: 'POST' });
      changed(`/events/${eventId}/staff`);
      setAdding('');
    } catch (error) {
      sayError(error);
    }
  };
  const remove = async ({ id, name }: AssignedStaff) => {
    try {
      await api(`/events/${eventId}/staff/${id}`, { method: 'DELETE' });
      changed(`/events/${eventId}/staff`);
      say(t('team.removed', { name }));
    } catch (error) {
      sayError(error);
    }
  };
  return (
    <section class="panel" aria-labelledby="team">
      <header class="panel__head">
        <h2 class="panel__title" id="team">
          {t('team.atEvent')}
        </h2>
        {can('staff:list') && <a href={href('team', { event: slug })}>{t('team.pins')}</a>}
      </header>
      {assigned.error && <Failed error={assigned.error} retry={assigned.reload} />}
      {!assigned.data && !assigned.error && <Skeleton rows={3} />}
      {assigned.data?.length === 0 && (
        <Empty icon="team" title={t('team.noneHere')}>
          {t('team.noneHereText')}
        </Empty>
      )}
      <LongList rows={assigned.data ?? []} label={t('team.atEvent')}>
        {(member) => (
          <li key={member.id} class="lines__row">
            <span>{member.name}</span>
            {can('staff:assign') && (
              <button
                type="button"
                class="iconbutton iconbutton--small"
                aria-label={t('team.remove', { name: member.name })}
                onClick={once(() => remove(member))}
              >
                <Icon name="close" size={15} />
              </button>
            )}
          </li>
        )}
      </LongList>
      {can('staff:assign') && !choosing && (
        <p class="panel__links">
          <button type="button" class="button button--quiet" onClick={() => setChoosing(true)}>
            <Icon name="plus" size={16} /> {t('team.assign')}
          </button>
        </p>
      )}
      {choosing && all.error && <Failed error={all.error} retry={all.reload} />}
      {choosing && all.data && assigned.data && others.length === 0 && (
        <p class="panel__links">
          <a href={href('team', { event: slug })}>{t('staff.add')}</a>
        </p>
      )}
      {choosing && assigned.data && others.length > 0 && (
        <form
          class="inline"
          onSubmit={(event) => {
            event.preventDefault();
            if (adding !== '') void assign(adding);
          }}
        >
          <label class="inline__field">
            <span class="visually-hidden">{t('team.choose')}</span>
            <select
              class="input select"
              value={adding}
              onChange={({ currentTarget }) => setAdding(currentTarget.value)}
            >
              <option value="">{t('team.choose')}</option>
              {others.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </select>
          </label>
          <button type="submit" class="button button--quiet" disabled={adding === ''}>
            {t('team.assign')}
          </button>
        </form>
      )}
    </section>
  );
}
