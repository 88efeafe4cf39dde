// Writes openapi.json from the code. With --check, compares the committed file with the code instead.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { apiDescription } from '../dist/server/api-description.js';
import { createApp } from '../dist/server/app.js';
import { loadConfig } from '../dist/server/load-config.js';

const FILE = new URL('../openapi.json', import.meta.url);

const dataDir = mkdtempSync(join(tmpdir(), 'donations-openapi-'));
let made;
try {
  // The program creates the application but does not start it, so no connection to this database is opened.
  const config = loadConfig({
    NODE_ENV: 'test',
    LOG_LEVEL: 'silent',
    DATA_DIR: dataDir,
    DATABASE_URL: 'postgresql://nobody@127.0.0.1:1/none',
  });
  made = `${JSON.stringify(apiDescription(await createApp(config)), null, 2)}\n`;
} finally {
  rmSync(dataDir, { recursive: true, force: true });
}

if (!process.argv.includes('--check')) {
  writeFileSync(FILE, made);
  console.log(`openapi.json: ${Object.keys(JSON.parse(made).paths).length} paths`);
} else {
  const committed = existsSync(FILE) ? readFileSync(FILE, 'utf8') : '';
  if (committed !== made) {
    const [before, after] = [committed.split('\n'), made.split('\n')];
    const line = after.findIndex((text, index) => text !== before[index]);
    console.error(
      `openapi.json differs from the code at line ${line + 1}: "${before[line]?.trim() ?? ''}" is now`,
    );
    console.error(`"${after[line]?.trim() ?? ''}". Run "npm run openapi" and commit the file.`);
    process.exit(1);
  }
}
process.exit(0);
