import { Injectable } from '@nestjs/common';
import type { Principal } from '../common/access/principal.js';
import { ExportThread } from '../documents/thread/export-thread.js';
import { threadFile } from '../documents/thread/thread-file.js';
import type { ThreadFunction } from '../documents/thread/thread-messages.js';
import { teamNotFound } from '../teams/team-choice.js';
import { TeamsService } from '../teams/teams.service.js';
import type { TeamCodesQuery } from './dto/print.dto.js';
import { PrintLooks } from './print-looks.service.js';
import type { TeamCodesToDraw } from './team-codes-pdf.js';

const TEAM_CODES: ThreadFunction<TeamCodesToDraw, Uint8Array> = {
  file: threadFile('prints/team-codes-pdf.js'),
  name: 'teamCodesPdf',
};

/** Draws the codes of the tables, teams and persons of an event. */
@Injectable()
export class TeamCodes {
  constructor(
    private readonly looks: PrintLooks,
    private readonly teams: TeamsService,
    private readonly thread: ExportThread,
  ) {}

  /**
   * Draws the code of each listed team, or of one team. A team that is not listed has no code, because its donate page names no team.
   * @throws NotFoundError `EVENT_NOT_FOUND`; `TEAM_NOT_FOUND` if no team would be printed
   */
  async draw(caller: Principal, ref: string, { layout = 'tent', language, teamId }: TeamCodesQuery) {
    const event = await this.looks.event(caller, ref);
    const { data } = await this.teams.list(caller, event.id);
    const wanted = data.filter(({ id, isListed }) => isListed && (teamId === undefined || id === teamId));
    if (wanted.length === 0) throw teamNotFound();
    const look = await this.looks.of(event, language);
    const teams = await Promise.all(
      wanted.map(async ({ name, slug }) => ({
        name,
        address: await this.looks.address(event, { team: slug }),
      })),
    );
    return { slug: event.slug, file: await this.thread.bytes(TEAM_CODES, { ...look, layout, teams }) };
  }
}
