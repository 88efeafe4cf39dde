import type { TeamDto, TeamList } from '../../../src/teams/dto/team.dto.js';
import { TEAM_LAYOUTS } from '../../../src/prints/print-limits.js';
import { Icon } from '../../desk/icons.js';
import { Menu } from '../../desk/menu.js';
import { t } from '../../desk/texts.js';
import { say } from '../../desk/toast.js';
import { queryOf } from '../api/client.js';
import { useQuery } from '../api/query.js';
import { can } from '../me.js';
import { download } from './downloads.js';
import type { DeskEvent } from './events.js';

export const teamsPath = (eventId: string): string => `/events/${eventId}/teams`;

/** The teams of an event; none for persons who may not see them. */
export const useTeams = (eventId: string | undefined): readonly TeamDto[] =>
  useQuery<TeamList>(eventId !== undefined && can('teams:list') ? teamsPath(eventId) : null).data?.data ?? [];

/** Address of the donate page of a team. */
export const donateAddress = (event: DeskEvent, { slug }: Pick<TeamDto, 'slug'>): string =>
  `${location.origin}/donate/${event.slug}?team=${slug}`;

export const copyAddress = (event: DeskEvent, team: TeamDto): void =>
  void navigator.clipboard.writeText(donateAddress(event, team)).then(() => say(t('action.copied')));

/** Prints the codes of all listed teams, or of one team. */
export const PrintCodes = ({ event, team }: { event: DeskEvent; team?: TeamDto }) => (
  <Menu
    label={t('team.print')}
    class="button button--quiet"
    up={team !== undefined}
    named
    items={TEAM_LAYOUTS.map((layout) => ({
      label: t(`team.print.${layout}`),
      onSelect: () =>
        void download(
          `${teamsPath(event.id)}/print${queryOf({ layout, teamId: team?.id })}`,
          `codes-${event.slug}.pdf`,
        ),
    }))}
  >
    <Icon name="print" size={16} /> {t('team.print')}
  </Menu>
);
