import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { rm, stat, statfs, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { type Check, type Finding, type Installation, SYNCHRONIZE, unknown, wrong } from './check.js';

/** Checks of this machine. */

const GIB = 1024 ** 3;
/** An evening with pictures and exports needs less. */
const ENOUGH_BYTES = GIB;
const ANSWER_MS = 3_000;
const CLOCKS_MAY_DIFFER_MS = 3_000;

const files: Check = {
  name: 'files',
  needs: ['DATA_DIR'],
  run: async ({ config: { dataDir } }) => [
    ...(await unwritable('DATA_DIR', dataDir)),
    ...(await unwritable('TMPDIR', tmpdir())),
  ],
};

async function unwritable(change: string, folder: string): Promise<Finding[]> {
  try {
    // A missing folder is made by the service.
    const file = join(await existing(resolve(folder)), `.doctor-${randomBytes(6).toString('hex')}`);
    await writeFile(file, '');
    await rm(file);
    return [];
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return [wrong(change, `is a folder that this user cannot write (${code ?? 'unknown'})`)];
  }
}

const disk: Check = {
  name: 'disk',
  needs: ['DATA_DIR'],
  run: async ({ config: { dataDir } }) => {
    const { bavail, bsize } = await statfs(await existing(resolve(dataDir)));
    const free = bavail * bsize;
    return free >= ENOUGH_BYTES
      ? []
      : [
          wrong(
            'DATA_DIR',
            `is on a disk with only ${(free / GIB).toFixed(1)} GiB left`,
            'a folder on another disk, or free space',
          ),
        ];
  },
};

async function existing(folder: string): Promise<string> {
  const exists = await stat(folder).then(
    () => true,
    () => false,
  );
  return exists || dirname(folder) === folder ? folder : existing(dirname(folder));
}

const ports: Check = {
  name: 'ports',
  needs: ['PORT', 'METRICS_PORT'],
  run: async ({ config: { port, host, metricsPort, metricsHost } }) => [
    ...(await taken('PORT', port, host, '/health/live', '"status":"ok"')),
    ...(metricsPort === undefined
      ? []
      : await taken('METRICS_PORT', metricsPort, metricsHost, '/metrics', 'process_')),
  ],
};

/** Finds a port that another program uses, or that this user may not open. */
async function taken(
  change: string,
  port: number,
  host: string | undefined,
  path: string,
  contains: string,
): Promise<Finding[]> {
  const code = await listenError(port, host);
  if (code === undefined) return [];
  const hostName = change === 'PORT' ? 'HOST' : 'METRICS_HOST';
  if (code === 'EACCES')
    return [wrong(change, 'is below 1024: only an administrator may open it', '3000, with a proxy in front')];
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return [wrong(hostName, 'is no address of this machine', '127.0.0.1, or empty')];
  if (code !== 'EADDRINUSE') return [unknown(change, `could not be checked (${code})`)];
  const at = host === undefined || host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  const text = await fetch(`http://${at.includes(':') ? `[${at}]` : at}:${port}${path}`, {
    signal: AbortSignal.timeout(ANSWER_MS),
  })
    .then((response) => response.text())
    .catch(() => '');
  return text.includes(contains)
    ? []
    : [wrong(change, `${port} is used by another program`, 'another number')];
}

const listenError = (port: number, host: string | undefined): Promise<string | undefined> =>
  new Promise((done) => {
    const server = createServer();
    server.once('error', ({ code = 'unknown' }: NodeJS.ErrnoException) => {
      done(code);
    });
    server.listen(port, host, () => {
      server.close(() => {
        done(undefined);
      });
    });
  });

const clock: Check = {
  name: 'clock',
  needs: [],
  run: async ({ config, providers, now }) => {
    for (const address of clocksOf({ config, providers })) {
      const before = now();
      const said = await fetch(address, {
        method: 'HEAD',
        redirect: 'manual',
        signal: AbortSignal.timeout(ANSWER_MS),
      })
        .then(({ headers }) => Date.parse(headers.get('date') ?? ''))
        .catch(() => NaN);
      if (Number.isNaN(said)) continue;
      // The header has whole seconds.
      const skew = said + 500 - (before + now()) / 2;
      if (Math.abs(skew) <= CLOCKS_MAY_DIFFER_MS) return [];
      return [
        wrong(
          'the clock',
          `of this machine differs from that of ${address.host} by ${Math.round(skew / 1_000)} s`,
          SYNCHRONIZE,
        ),
      ];
    }
    return await synchronized();
  },
};

/** Asks systemd if a time server sets the clock. */
async function synchronized(): Promise<Finding[]> {
  const asked = promisify(execFile)('timedatectl', ['show', '--property=NTPSynchronized', '--value']);
  const said = await asked.then(({ stdout }) => stdout.trim()).catch(() => '');
  if (said === 'yes') return [];
  return said === 'no'
    ? [wrong('the clock', 'of this machine is not set by a time server', SYNCHRONIZE)]
    : [unknown('the clock', 'could not be compared with another machine', SYNCHRONIZE)];
}

/** Addresses of other machines whose answers contain the time. */
function clocksOf({
  config: { idp, sections },
  providers,
}: Pick<Installation, 'config' | 'providers'>): URL[] {
  const sources = providers
    .filter(({ name }) => sections.has(name))
    .flatMap((one) => Object.values(one.checkout?.(sections.get(one.name)).sources ?? {}).flat());
  return [...(idp ? [idp.issuer.href] : []), ...sources]
    .filter((source) => !source.includes('*') && URL.canParse(source))
    .map((source) => new URL(source));
}

export const MACHINE: readonly Check[] = [files, disk, ports, clock];
