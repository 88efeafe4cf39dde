import type { ReceiptPackDto, ReceiptPacksDto } from '../../../src/receipts/dto/receipt-packs.dto.js';
import type { Settings } from '../../../src/settings/settings.js';
import { localeLanguage } from '../../desk/texts.js';
import { type Query, useQuery } from '../api/query.js';
import { can } from '../me.js';
import { nameFields } from './field-names.js';

/** The countries whose tax office accepts the receipts. Their fields then have names in all parts of the page. */
export function usePacks(): Query<ReceiptPacksDto> {
  const path = can('receipts:export') ? `/export/receipts/packs?language=${localeLanguage()}` : null;
  const packs = useQuery<ReceiptPacksDto>(path);
  for (const { fields } of packs.data?.data ?? []) nameFields(fields);
  return packs;
}

/** The country that the organization chose; undefined for none, and while it is not known. */
export function usePack(): ReceiptPackDto | undefined {
  const { data: settings } = useQuery<Settings>('/settings/global');
  return usePacks().data?.data.find(({ id }) => id === settings?.receipts.pack);
}
