import { Injectable } from '@nestjs/common';
import type { Principal } from '../common/access/principal.js';
import { NotFoundError } from '../common/errors/domain-errors.js';
import { isId } from '../common/ids.js';
import { PrismaService } from '../data/prisma.service.js';
import { assertDonationId, noSuchDonation } from './donation-access.js';
import { type AttentionDto, type HistoryEntryDto, toAttention, toHistoryEntry } from './dto/attention.dto.js';

const SHOWN = 500;

/** What a person must look at, and how a donation came to be as it is. */
@Injectable()
export class AttentionService {
  constructor(private readonly prisma: PrismaService) {}

  /** Unresolved items, newest first, at most 500. */
  async open(): Promise<AttentionDto[]> {
    const items = await this.prisma.attentionItem.findMany({
      where: { resolvedAt: null },
      orderBy: { id: 'desc' },
      take: SHOWN,
    });
    return items.map(toAttention);
  }

  /** Takes an item off the list; who was first to do so stays written down. */
  async resolve(caller: Principal, id: string): Promise<AttentionDto> {
    if (!isId(id)) throw noSuchItem();
    const data = { resolvedAt: new Date(), resolvedBy: caller.id };
    await this.prisma.attentionItem.updateMany({ where: { id, resolvedAt: null }, data });
    const item = await this.prisma.attentionItem.findUnique({ where: { id } });
    if (!item) throw noSuchItem();
    return toAttention(item);
  }

  /** Every transition of a donation, oldest first. */
  async history(donationId: string): Promise<HistoryEntryDto[]> {
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

const noSuchItem = () => new NotFoundError('ATTENTION_ITEM_NOT_FOUND', 'No such item');
