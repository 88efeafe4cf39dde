import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { RouteDecisions } from '../../src/auth/guards/route-decisions.js';
import { startApp, type TestApp } from '../support/app.js';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());
describe('x', () => {
  it('lists', () => {
    for (const r of app.app.get(RouteDecisions).all())
      console.log(r.method, r.path, JSON.stringify(r.access), r.handler);
    expect(1).toBe(1);
  });
});
