import type { PosModel } from '../../src/pages/pos/pos.service.js';

/** Data that the server wrote into the page. */
export const model = JSON.parse(document.body.dataset['model'] ?? 'null') as PosModel;

/** Number of decimals of a currency. */
export const exponentOf = (currency: string): number => model.exponents[currency] ?? 2;
