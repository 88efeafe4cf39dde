import { Injectable } from '@nestjs/common';
import { ConflictError } from '../common/errors/domain-errors.js';
import type { PackPlan } from './pack-plan.js';
import { factsOf } from './pack-plan.js';
import { findingsOf, type PackFacts, type PackProof } from './packs/receipt-pack.js';
import { ReceiptFiles } from './receipt-files.service.js';
import { ReceiptIssuers } from './receipt-issuers.service.js';
import { earlierReceipt, type ReceiptRow } from './receipt-row.js';
import { ReceiptsService } from './receipts.service.js';

/** A simplified proof that can be printed. */
interface Offered {
  readonly plan: PackPlan;
  readonly proof: PackProof;
  readonly facts: PackFacts;
}

/** The simplified proof of a small donation, which counts together with the statement of the donor's bank. It has no number. */
@Injectable()
export class ReceiptProofs {
  constructor(
    private readonly receipts: ReceiptsService,
    private readonly issuers: ReceiptIssuers,
    private readonly files: ReceiptFiles,
  ) {}

  /** True if the donor of an online donation can download a simplified proof. */
  async isOfferedToDonor(token: string): Promise<boolean> {
    return (await this.offered(await this.receipts.findForDonor(token))) !== undefined;
  }

  /**
   * Returns the simplified proof for the donor of an online donation.
   * @throws NotFoundError `DONATION_NOT_FOUND`, ForbiddenError `RECEIPT_DOWNLOAD_OFF`, ConflictError `RECEIPT_PROOF_OFF`
   */
  async renderForDonor(token: string): Promise<{ readonly fileName: string; readonly pdf: Buffer }> {
    const row = await this.receipts.findForDonor(token);
    const file = await this.file(row);
    if (!file) throw new ConflictError('RECEIPT_PROOF_OFF', 'There is no simplified proof of this donation');
    return file;
  }

  /** Returns the proof that belongs into the e-mail with an acknowledgement; undefined if none is offered. */
  async file(row: ReceiptRow): Promise<{ readonly fileName: string; readonly pdf: Buffer } | undefined> {
    const offered = await this.offered(row);
    if (!offered) return undefined;
    const { plan, proof, facts } = offered;
    const { logo } = await this.issuers.of(row.overrides);
    const pdf = await this.files.proof({ logo, version: plan.pack.version, facts });
    return { fileName: proof.fileName, pdf };
  }

  private async offered(row: ReceiptRow): Promise<Offered | undefined> {
    // A donation with the full document needs no second one.
    if (row.status !== 'COMPLETED' || (earlierReceipt(row)?.pack ?? null) !== null) return undefined;
    const plan = await this.issuers.planOf(row.overrides);
    const proof = plan?.pack.proof;
    if (!plan || !proof) return undefined;
    if (await this.receipts.isInCollective(row.id)) return undefined;
    const facts = factsOf(plan, row, new Date());
    const found = findingsOf(plan.pack, facts).filter(({ field }) => !proof.without.includes(field));
    return found.length === 0 && proof.covers(facts) ? { plan, proof, facts } : undefined;
  }
}
