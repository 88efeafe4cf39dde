import { actorOf, type Principal } from '../common/access/principal.js';
import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { Audit } from '../audit/audit.js';
import { localDay } from '../common/text/local-time.js';
import { EventLookup } from '../events/event-lookup.service.js';
import { ExportSlots } from '../documents/export-slots.js';
import { downloadHeaders, sendDownload } from '../documents/http/send-download.js';
import { SettingsService } from '../settings/settings.service.js';
import { ReceiptProofs } from './receipt-proofs.service.js';
import { ReceiptArchive } from './receipt-archive.service.js';
import { type ReceiptForm, type RenderedReceipt, ReceiptsService } from './receipts.service.js';

/** Sends receipt files. */
@Injectable()
export class ReceiptDownloads {
  constructor(
    private readonly receipts: ReceiptsService,
    private readonly archive: ReceiptArchive,
    private readonly events: EventLookup,
    private readonly slots: ExportSlots,
    private readonly audit: Audit,
    private readonly settings: SettingsService,
    private readonly proofs: ReceiptProofs,
  ) {}

  async one(caller: Principal, donationId: string, form: ReceiptForm, response: Response): Promise<void> {
    await send(response, {
      available: () => this.receipts.assertAvailable(caller, donationId, form),
      render: () => this.receipts.render(caller, donationId, form),
    });
  }

  /** Sends a receipt to the donor. A donor has no account, so the donor token of the intent gives access. */
  async own(token: string, response: Response): Promise<void> {
    await send(response, {
      available: () => this.receipts.assertAvailableForDonor(token),
      render: () => this.receipts.renderForDonor(token),
    });
  }

  /** Sends the simplified proof to the donor. */
  async ownProof(token: string, response: Response): Promise<void> {
    const { fileName, pdf } = await this.proofs.renderForDonor(token);
    response.set(downloadHeaders(fileName, 'application/pdf')).end(pdf);
  }

  /** Sends a receipt to the owner of the donation's e-mail address. Check the owner first. */
  async ofOwner(donationId: string, response: Response): Promise<void> {
    await send(response, {
      available: () => this.receipts.assertAvailableForOwner(donationId),
      render: () => this.receipts.renderForOwner(donationId),
    });
  }

  async zip(caller: Principal, eventRef: string, response: Response): Promise<void> {
    const event = await this.events.get(eventRef);
    await this.audit.record(actorOf(caller), 'receipts.export', event.id);
    const { timezone } = await this.settings.effective(event.overrides);
    await sendDownload(response, {
      fileName: `receipts-${event.slug}-${localDay(new Date(), timezone)}.zip`,
      contentType: 'application/zip',
      body: this.slots.hold(this.archive.zip(event)),
    });
  }
}

interface ReceiptSource {
  readonly available: () => Promise<void>;
  readonly render: () => Promise<RenderedReceipt>;
}

async function send(response: Response, { available, render }: ReceiptSource): Promise<void> {
  if (response.req.method === 'HEAD') {
    // A HEAD request must not issue a receipt.
    await available();
    response.set(downloadHeaders('receipt.pdf', 'application/pdf')).end();
    return;
  }
  const { number, pdf } = await render();
  response.set(downloadHeaders(`receipt-${number}.pdf`, 'application/pdf')).end(pdf);
}
