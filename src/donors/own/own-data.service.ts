import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { GiftAidDeclarations } from '../../gift-aid/declarations.service.js';
import type { DeclarationDto } from '../../gift-aid/dto/gift-aid.dto.js';
import { OwnPledges } from '../../pledges/emails/own-pledges.service.js';
import { DonorDownloads } from '../donor-export.service.js';
import { type OwnAddress, OwnAddresses } from './own-address.service.js';
import { OwnRequests } from './own-requests.service.js';
import { DONOR, type OwnDonor } from './own-sessions.service.js';

/** The data that donors can see and end on their own page, except the gifts. */
export interface OwnData {
  /** Gift Aid declarations, newest first. */
  readonly declarations: readonly DeclarationDto[];
  /** True if the address gets no e-mails about pledges. */
  readonly hasOptedOut: boolean;
  /** The newest postal address; undefined if there is none. */
  readonly address: OwnAddress | undefined;
  /** Time of the open request for the erasure; undefined if there is none. */
  readonly erasureRequestedAt: Date | undefined;
}

/** The stored data of a donor, for that donor: Gift Aid declarations, e-mails about pledges, and the file with everything. */
@Injectable()
export class OwnDataService {
  constructor(
    private readonly declarations: GiftAidDeclarations,
    private readonly pledges: OwnPledges,
    private readonly downloads: DonorDownloads,
    private readonly addresses: OwnAddresses,
    private readonly requests: OwnRequests,
  ) {}

  async of(donor: OwnDonor): Promise<OwnData> {
    const [declarations, hasOptedOut, address, erasureRequestedAt] = await Promise.all([
      this.declarations.ofDonor(donor.donorKey),
      this.pledges.hasOptedOutOf(donor.donorKey),
      this.addresses.of(donor),
      this.requests.erasureRequestedAt(donor),
    ]);
    return { declarations, hasOptedOut, address, erasureRequestedAt };
  }

  /** @throws NotFoundError `GIFT_AID_NOT_FOUND`, also for a declaration of another donor */
  async cancelDeclaration({ donorKey }: OwnDonor, id: string): Promise<void> {
    await this.declarations.cancelOwn(donorKey, id);
  }

  async stopPledgeEmails({ donorKey, key }: OwnDonor): Promise<void> {
    await this.pledges.optOutOf(donorKey, key);
  }

  /** Sends everything that is stored about the donor, as JSON. */
  async everything({ key }: OwnDonor, response: Response): Promise<void> {
    await this.downloads.everything(DONOR, key, response);
  }
}
