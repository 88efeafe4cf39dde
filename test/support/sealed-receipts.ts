import type { TestApp } from './app.js';
import { as } from './bearer.js';
import { createEvent } from './fixtures.js';

/** Erases the donor "Grace Hopper" of a receipt for the tax office. Returns the number of the receipt, which stays sealed. */
export async function sealReceipt(app: TestApp, token: string): Promise<string> {
  const admin = as(app, token);
  const event = await createEvent(app, token, { currency: 'usd' });
  const pack = { receipts: { pack: 'us' }, legal: { legalName: 'Harbour Fund', us: { ein: '12-3456789' } } };
  await admin.patch(`/events/${event.id}/settings`).send(pack).expect(200);
  const donation = { eventId: event.id, amount: 2500, type: 'cash', donorName: 'Grace Hopper' };
  const { body } = await admin.post('/donations').send(donation).expect(201);
  const { id } = body as { id: string };
  await admin.get(`/export/receipts/${id}`).expect(200);
  await admin.delete(`/donors/${id}`).expect(200);
  const sealed = await admin.get('/export/sealed-receipts').expect(200);
  return (sealed.body as { data: { number: string }[] }).data[0]?.number ?? '';
}
