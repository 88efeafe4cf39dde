import { Injectable } from '@nestjs/common';
import { toJsonAmount } from '../common/money/money.js';
import { Database } from '../data/database.js';
import { SettingsService } from '../settings/settings.service.js';
import type { FrenchDeclarationDto } from './dto/french-declaration.dto.js';
import { dayAfter, deductible } from './packs/receipt-pack.js';
import { FRENCH_RECEIPTS, type FrenchReceiptsRow } from './receipts.sql.js';

/** Sums the French receipts of an accounting year. */
@Injectable()
export class FrenchDeclaration {
  constructor(
    private readonly database: Database,
    private readonly settings: SettingsService,
  ) {}

  async of(year: number): Promise<FrenchDeclarationDto> {
    const { legal, timezone } = await this.settings.global();
    const { yearEnd } = legal.fr;
    const [from, to] = [dayAfter(`${year - 1}-${yearEnd}`), `${year}-${yearEnd}`];
    const of = async (basis: 'issued' | 'received') =>
      (await this.database.query<FrenchReceiptsRow>(FRENCH_RECEIPTS, [from, to, timezone, basis]))[0];
    const [issued, received] = [await of('issued'), await of('received')];
    return { from, to, receipts: issued?.receipts ?? 0, amount: sumOf(issued), received: sumOf(received) };
  }
}

/** The function is linear, so it may be applied to sums. */
const sumOf = (row: FrenchReceiptsRow | undefined): number =>
  row
    ? deductible({
        amount: toJsonAmount(row.amount),
        refunded: toJsonAmount(row.refunded),
        benefitValue: toJsonAmount(row.benefit),
      })
    : 0;
