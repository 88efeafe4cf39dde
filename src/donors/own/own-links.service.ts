import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { Audit } from '../../audit/audit.js';
import { SYSTEM } from '../../common/access/principal.js';
import { KeyRing } from '../../common/crypto/key-ring.js';
import { TooManyRequestsError } from '../../common/errors/domain-errors.js';
import { clientAddress } from '../../common/http/client-address.js';
import { AppConfig } from '../../config/app-config.js';
import { Database } from '../../data/database.js';
import { donorKeyOf } from '../../donations/recording/new-donation.js';
import { OWN_PAGE_PATH } from '../../mail/content/own-page-email.js';
import { Mailer } from '../../mail/mailer.service.js';
import { Counters } from '../../redis/counters.js';
import { ADD_LINK, ADDRESS_OF_DONOR } from './own-page.sql.js';
import { digestOf, newToken } from './own-tokens.js';

const HOUR_SECONDS = 3_600;
/** Requests from one network in an hour. An IPv6 network has the prefix length 64. */
const OF_NETWORK = 20;
/** Requests for one e-mail address in an hour, known or not. */
const OF_ADDRESS = 3;

/** Sends donors a link to their own page. */
@Injectable()
export class OwnLinks implements BeforeApplicationShutdown {
  private readonly logger = new Logger(OwnLinks.name);
  private readonly running = new Set<Promise<void>>();

  constructor(
    private readonly config: AppConfig,
    private readonly database: Database,
    private readonly keys: KeyRing,
    private readonly counters: Counters,
    private readonly mailer: Mailer,
    private readonly audit: Audit,
  ) {}

  /** True if the server can send e-mails. Without them the page does not exist. */
  get isOn(): boolean {
    return this.mailer.isOn;
  }

  /**
   * Returns before the donor is looked up. So answer and time are the same for every e-mail address.
   * @param email a valid e-mail address
   * @param ip of the client
   * @param locale language of the e-mail, BCP 47
   * @throws TooManyRequestsError `OWN_LINK_LIMIT`
   */
  async request(email: string, ip: string | undefined, locale: string): Promise<void> {
    const donorKey = donorKeyOf(this.keys, email);
    if (donorKey === null) return;
    await this.count(`own-link:network:${clientAddress(ip)}`, OF_NETWORK);
    await this.count(`own-link:address:${donorKey.toString('hex')}`, OF_ADDRESS);
    const sending = this.send(donorKey, locale)
      .catch((error: unknown) => {
        this.logger.error({ msg: 'Link to an own page failed', err: error });
      })
      .finally(() => this.running.delete(sending));
    this.running.add(sending);
  }

  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all(this.running);
  }

  private async count(key: string, limit: number): Promise<void> {
    const { allowed, resetSeconds } = await this.counters.hit(key, limit, HOUR_SECONDS);
    if (!allowed)
      throw new TooManyRequestsError(
        resetSeconds,
        'OWN_LINK_LIMIT',
        'Too many links were requested; try again later',
      );
  }

  private async send(donorKey: Buffer, locale: string): Promise<void> {
    await this.database.transaction(async (tx) => {
      const [donor] = await tx.query<{ email: string }>(ADDRESS_OF_DONOR, [donorKey]);
      const subject = donor ? donorKey.toString('hex') : null;
      await this.audit.record(SYSTEM, 'donor.request_link', subject, {}, tx);
      if (!donor) return;
      const token = newToken();
      const [link] = await tx.query<{ expires_at: Date }>(ADD_LINK, [digestOf(token), donorKey]);
      if (!link) throw new Error('The link was not stored');
      this.mailer.enqueueOwnPage(tx, 'own_page_link', {
        donorKey,
        to: donor.email,
        locale,
        url: `${this.config.publicUrl}${OWN_PAGE_PATH}/sign-in/${token}?lang=${locale}`,
        expiresAt: link.expires_at,
      });
    });
  }
}
