// Writes openapi.json, and the webhooks in asyncapi.json, from the code. With --check, compares the committed files with the code
// instead.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { apiDescription } from '../dist/server/api-description.js';
import { createApp } from '../dist/server/app.js';
import { withWebhookMessages } from '../dist/server/openapi/webhook-messages.js';
import { loadConfig } from '../dist/server/load-config.js';

const OPENAPI = new URL('../openapi.json', import.meta.url);
const ASYNCAPI = new URL('../asyncapi.json', import.meta.url);
const contentOf = (file) => (existsSync(file) ? readFileSync(file, 'utf8') : '');

const dataDir = mkdtempSync(join(tmpdir(), 'donations-openapi-'));
let openapi;
try {
  // The program creates the application but does not start it, so no connection to this database is opened.
  const config = loadConfig({
    NODE_ENV: 'test',
    LOG_LEVEL: 'silent',
    DATA_DIR: dataDir,
    DATABASE_URL: 'postgresql://nobody@127.0.0.1:1/none',
  });
  openapi = apiDescription(await createApp(config));
} finally {
  rmSync(dataDir, { recursive: true, force: true });
}
const asyncapi = withWebhookMessages(JSON.parse(contentOf(ASYNCAPI)), openapi);
const style = await resolveConfig(ASYNCAPI);
const made = [
  ['openapi.json', OPENAPI, `${JSON.stringify(openapi, null, 2)}\n`],
  ['asyncapi.json', ASYNCAPI, await format(JSON.stringify(asyncapi, null, 2), { ...style, parser: 'json' })],
];

for (const [name, file, text] of made) {
  if (!process.argv.includes('--check')) {
    writeFileSync(file, text);
    continue;
  }
  const committed = contentOf(file);
  if (committed === text) continue;
  const [before, after] = [committed.split('\n'), text.split('\n')];
  const line = after.findIndex((one, index) => one !== before[index]);
  console.error(`${name} differs from the code at line ${line + 1}: "${before[line]?.trim() ?? ''}" is now`);
  console.error(`"${after[line]?.trim() ?? ''}". Run "npm run openapi" and commit the file.`);
  process.exit(1);
}
console.log(`openapi.json: ${Object.keys(openapi.paths).length} paths`);
process.exit(0);
