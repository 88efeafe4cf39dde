// Runs all checks of the code except its tests. `npm run check` builds first and runs it. Two checks run at a time, and each
// prints only on failure.
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const AT_ONCE = 2;
// No check uses the network.
const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };

const checks = [
  ['lint', bin('eslint'), '.', '--max-warnings=0'],
  ['types', bin('typescript', 'tsc'), '--noEmit'],
  ['types of the pages', bin('typescript', 'tsc'), '-p', 'web', '--noEmit'],
  ['format', bin('prettier'), '--check', '--log-level=warn', '.'],
  ['imports', bin('dependency-cruiser', 'depcruise'), 'src', 'sandbox', 'web', 'test', '--output-type=err'],
  ['plain words', 'scripts/plain-words.mjs'],
  ['unused code', bin('knip'), '--no-progress', '--no-config-hints'],
  ['schema and migrations', 'scripts/check-schema.mjs'],
  ['lockfile', 'scripts/complete-lockfile.mjs', '--check'],
  ['API description', 'scripts/openapi.mjs', '--check'],
  ['API against release', 'scripts/check-api.mjs'],
  ['API by Redocly', bin('@redocly/cli', 'redocly'), 'lint', 'openapi.json', '--config=api/redocly.yaml'],
  [
    'API by Spectral',
    bin('@stoplight/spectral-cli', 'spectral'),
    'lint',
    '--ruleset=api/spectral.yaml',
    '--fail-severity=warn',
    'openapi.json',
    'asyncapi.json',
  ],
];

function bin(name, command = name) {
  const file = createRequire(import.meta.url).resolve(`${root}/node_modules/${name}/package.json`);
  const declared = createRequire(import.meta.url)(file).bin;
  return join(dirname(file), typeof declared === 'string' ? declared : declared[command]);
}

function run([name, ...args]) {
  const started = Date.now();
  return new Promise((done) => {
    const child = spawn(process.execPath, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text));
    child.on('close', (code) =>
      done({ name, passed: code === 0, output, seconds: (Date.now() - started) / 1000 }),
    );
  });
}

const waiting = [...checks];
const results = [];
await Promise.all(
  Array.from({ length: AT_ONCE }, async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) results.push(await run(next));
  }),
);
for (const { name, passed, output } of results) if (!passed) console.log(`\n── ${name} ──\n${output.trim()}`);
console.log();
for (const [name] of checks) {
  const { passed, seconds } = results.find((result) => result.name === name);
  console.log(`${passed ? 'ok  ' : 'FAIL'}  ${name.padEnd(22)} ${seconds.toFixed(1).padStart(5)} s`);
}
process.exit(results.every(({ passed }) => passed) ? 0 : 1);
