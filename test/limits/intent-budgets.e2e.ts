import { describe, expect, it } from '@jest/globals';
import { newId } from '../../src/common/crypto/ids.js';
import { createEvent } from '../support/fixtures.js';
import { startPaymentsApp } from '../support/payments.js';
import { withAdmin, withService } from '../support/setup.js';

const PLENTY = 1_000_000;
const limits = {
  perMinute: PLENTY,
  authPerMinute: PLENTY,
  trustedFactor: 50,
  intentsPerAddress: 5,
  intentsPerEvent: 20,
  intentsPerEmail: 3,
};
const app = withService(() => startPaymentsApp({ TRUST_PROXY: '1' }, { limits }));
const admin = withAdmin(app);

const start = (eventId: string, address: string, donorEmail = `${newId()}@example.org`) =>
  app.http
    .post('/donations/intent')
    .set('X-Forwarded-For', address)
    .send({ amount: 500, metadata: { eventId, donorEmail } });

describe('payment budgets', () => {
  it("a later donor gets a share of the event's budget although many addresses used it", async () => {
    const { id } = await createEvent(app, admin.token);
    let started = 0;
    for (let address = 0; address < 8; address++)
      for (let payment = 0; payment < 5; payment++)
        if ((await start(id, `40.1.0.${address}`)).status === 201) started++;
    // The budgets of the addresses alone would allow forty payments.
    expect(started).toBeLessThanOrEqual(25);
    await start(id, '40.2.0.1').expect(201);
    await start(id, '40.2.0.2').expect(201);
  });

  it('a stranger who uses up the budget of an e-mail address does not block its owner', async () => {
    const { id } = await createEvent(app, admin.token);
    const email = `${newId()}@example.org`;
    for (let payment = 0; payment < 3; payment++) await start(id, '40.3.0.1', email).expect(201);
    await start(id, '40.3.0.1', email).expect(429);
    await start(id, '40.4.0.1', email).expect(201);
  });
});
