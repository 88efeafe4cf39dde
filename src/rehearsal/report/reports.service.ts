import { Injectable } from '@nestjs/common';
import { TrustedNetworks } from '../../common/http/client-address.js';
import { KeyRing } from '../../common/crypto/key-ring.js';
import { NotFoundError } from '../../common/errors/domain-errors.js';
import { AppConfig } from '../../config/app-config.js';
import { Database } from '../../data/database.js';
import { modulesOf } from '../../documents/pdf/code-modules.js';
import { ExportThread } from '../../documents/thread/export-thread.js';
import { threadFile } from '../../documents/thread/thread-file.js';
import type { ThreadFunction } from '../../documents/thread/thread-messages.js';
import { rehearsalOfToken, rehearsalTokenOf } from '../../donations/donors/donor-token.js';
import { RoomBroadcaster } from '../../gateway/broadcasts.js';
import { InstallationChecks } from '../../health/installation-checks.service.js';
import { PaymentProviders } from '../../payments/providers/payment-providers.js';
import { PLAYED_ROWS, type PlayedRows } from '../play/play.sql.js';
import { Plays, toPlay } from '../play/plays.service.js';
import { Rehearsals } from '../rehearsals.service.js';
import { judgeFacts } from './checks.js';
import type { RehearsalReport } from './dto/report.dto.js';
import type { ReportToDraw } from './report-pdf.js';
import { REPORT_WORDING, type ReportLanguage } from './report-wording.js';
import { FACTS, type FactsRow, VISITED } from './report.sql.js';

const REPORT: ThreadFunction<ReportToDraw, Uint8Array> = {
  file: threadFile('rehearsal/report/report-pdf.js'),
  name: 'reportPdf',
};

/** The report of a rehearsal: the checks that passed, and the missing ones. */
@Injectable()
export class RehearsalReports {
  constructor(
    private readonly config: AppConfig,
    private readonly database: Database,
    private readonly rehearsals: Rehearsals,
    private readonly plays: Plays,
    private readonly providers: PaymentProviders,
    private readonly networks: TrustedNetworks,
    private readonly rooms: RoomBroadcaster,
    private readonly keys: KeyRing,
    private readonly thread: ExportThread,
    private readonly installation: InstallationChecks,
  ) {}

  /** @throws NotFoundError `EVENT_NOT_FOUND`, `REHEARSAL_NOT_FOUND` */
  async of(ref: string, language: ReportLanguage = 'en'): Promise<RehearsalReport> {
    const { eventId } = await this.rehearsals.get(ref);
    const row = await this.plays.of(eventId);
    const [facts] = await this.database.query<FactsRow>(FACTS, [eventId]);
    // The rehearsal was deleted in the meantime.
    if (!facts) throw new NotFoundError('REHEARSAL_NOT_FOUND', 'The event has no rehearsal');
    const [rows] = row ? await this.database.query<PlayedRows>(PLAYED_ROWS, [eventId, row.mark]) : [];
    const play = row && toPlay(row);
    const findings = judgeFacts({
      ...facts,
      untrusted: facts.addresses.filter((address) => !this.networks.includes(address)),
      hasMail: this.config.mail !== undefined,
      providers: this.providers.all,
      isWallOpen: this.rooms.hasSockets(eventId),
      play,
      rows,
      installation: (await this.installation.read()).checks,
    });
    const { checks } = REPORT_WORDING[language];
    return {
      phoneUrl: `${this.config.publicUrl}/rehearsal/seen/${rehearsalTokenOf(this.keys, eventId)}`,
      checks: findings.map(({ name, state, missing }) => {
        const [title, advice] = checks[name];
        return { name, state, title, missing: [...missing], advice: state === 'passed' ? null : advice };
      }),
      play: play ?? null,
    };
  }

  async pdf(ref: string, language: ReportLanguage = 'en'): Promise<{ slug: string; file: Uint8Array }> {
    const { slug } = await this.rehearsals.get(ref);
    const { checks, play, phoneUrl } = await this.of(ref, language);
    const { title, states, load } = REPORT_WORDING[language];
    const [gifts, intent, record, wall, errors] = load;
    const times = [
      [intent, play?.intent],
      [record, play?.record],
      [wall, play?.wall],
    ] as const;
    const report: ReportToDraw = {
      title,
      event: slug,
      language,
      createdAt: new Date(),
      states,
      checks,
      load: play
        ? [
            [gifts, `${play.done}`],
            ...times.map(
              ([name, time]) => [name, `p50 ${time?.p50 ?? '–'} ms, p99 ${time?.p99 ?? '–'} ms`] as const,
            ),
            [errors, `${play.figures.errors}`],
          ]
        : [],
      code: await modulesOf(phoneUrl, 'M'),
      phoneUrl,
    };
    return { slug, file: await this.thread.bytes(REPORT, report) };
  }

  /**
   * Records that somebody opened the address on the code. Returns the slug of the rehearsal, whose donate page the phone then shows.
   * @throws NotFoundError `REHEARSAL_NOT_FOUND`
   */
  async seen(token: string): Promise<string> {
    const eventId = rehearsalOfToken(this.keys, token);
    const [row] =
      eventId === undefined ? [] : await this.database.query<{ slug: string }>(VISITED, [eventId]);
    if (!row) throw new NotFoundError('REHEARSAL_NOT_FOUND', 'The event has no rehearsal');
    return row.slug;
  }
}
