import { Injectable } from '@nestjs/common';
import { PrismaService } from '../data/prisma.service.js';
import { assertDonationId, noSuchDonation } from './donation-access.js';
import { type HistoryEntryDto, toHistoryEntry } from './dto/history.dto.js';

/** How a donation came to be as it is. */
@Injectable()
export class DonationHistoryService {
  constructor(private readonly prisma: PrismaService) {}

  /** Every transition of a donation, oldest first. */
  async list(donationId: string): Promise<HistoryEntryDto[]> {
    assertDonationId(donationId);
    const entries = await this.prisma.donationHistory.findMany({
      where: { donationId },
      orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
    });
    // Every donation has a first entry.
    if (entries.length === 0) throw noSuchDonation();
    return entries.map(toHistoryEntry);
  }
}
