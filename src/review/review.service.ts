import { Injectable } from '@nestjs/common';
import type { Principal } from '../common/access/principal.js';
import { NotFoundError } from '../common/errors/domain-errors.js';
import { isId } from '../common/ids.js';
import { PrismaService } from '../data/prisma.service.js';
import { type ReviewItemDto, toReviewItem } from './dto/review-item.dto.js';

const SHOWN = 500;

/** The list of what a person must look at. */
@Injectable()
export class ReviewService {
  constructor(private readonly prisma: PrismaService) {}

  /** Unresolved items, newest first, at most 500. */
  async open(): Promise<ReviewItemDto[]> {
    const items = await (
      await this.prisma.client()
    ).reviewItem.findMany({
      where: { resolvedAt: null },
      orderBy: { id: 'desc' },
      take: SHOWN,
    });
    return items.map(toReviewItem);
  }

  /** Takes an item off the list; who was first to do so stays written down. */
  async resolve(caller: Principal, id: string): Promise<ReviewItemDto> {
    if (!isId(id)) throw noSuchItem();
    const data = { resolvedAt: new Date(), resolvedBy: caller.id };
    await (await this.prisma.client()).reviewItem.updateMany({ where: { id, resolvedAt: null }, data });
    const item = await (await this.prisma.client()).reviewItem.findUnique({ where: { id } });
    if (!item) throw noSuchItem();
    return toReviewItem(item);
  }
}

const noSuchItem = () => new NotFoundError('REVIEW_ITEM_NOT_FOUND', 'No such item');
