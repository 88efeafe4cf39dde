import { expect, it } from '@jest/globals';
import { createTestDatabase } from '../support/database.js';
import { startServerProcess } from '../support/process.js';

it('a start logs about a dozen lines at level info, and the routes at level debug', async () => {
  const database = await createTestDatabase();
  const counts: number[] = [];
  for (const level of ['info', 'debug']) {
    const server = await startServerProcess({ DATABASE_URL: database.url, LOG_LEVEL: level });
    const lines = server
      .output()
      .split('\n')
      .filter((line) => line.startsWith('{'));
    counts.push(lines.length);
    await server.stop();
  }
  await database.drop();
  expect(counts[0]).toBeLessThanOrEqual(12);
  expect(counts[1]).toBeGreaterThan(100);
});
