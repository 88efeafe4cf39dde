import type { PosModel } from '../../src/pages/pos/pos.service.js';

/** What the server wrote into the page. */
export const model = JSON.parse(document.body.dataset['model'] ?? 'null') as PosModel;

/** How many decimals a currency's amounts have. */
export const exponentOf = (currency: string): number => model.exponents[currency] ?? 2;
