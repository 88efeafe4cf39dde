// Processor use in a period, from /proc (Linux only): the main thread of the service, its other threads, the database, the
// attacker, and the process of the honest clients.
import { readdirSync, readFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';

const TICKS_PER_SECOND = 100;

/** Returns the processor time of all processes on all cores, in seconds. */
function secondsOfAll() {
  const [user, nice, system, , , irq, softirq] = readFileSync('/proc/stat', 'utf8')
    .split('\n', 1)[0]
    .split(/ +/)
    .slice(1)
    .map(Number);
  return (user + nice + system + irq + softirq) / TICKS_PER_SECOND;
}

/** Returns the processor time of a process or thread in seconds; 0 if it has ended. */
function seconds(path) {
  try {
    // The name of a process is in brackets and may contain spaces.
    const [, rest] = /\) (.*)$/s.exec(readFileSync(`${path}/stat`, 'utf8'));
    const fields = rest.split(' ');
    return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
  } catch {
    return 0;
  }
}

/**
 * Returns the ids of the processes whose command line matches. Each database connection is a separate
 * process.
 */
function processes(begins) {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return begins.test(readFileSync(`/proc/${pid}/cmdline`, 'utf8'));
      } catch {
        return false;
      }
    });
}

export function startCosts({ servicePid, attackerPid, metricsUrl }) {
  const ownDelay = monitorEventLoopDelay({ resolution: 10 });
  ownDelay.enable();
  const read = () => ({
    at: performance.now(),
    'service: its thread': seconds(`/proc/${servicePid}/task/${servicePid}`),
    service: seconds(`/proc/${servicePid}`),
    // Includes databases that other programs use at the same time.
    database: processes(/^(\S*\/)?postgres[:\0]/).reduce((sum, pid) => sum + seconds(`/proc/${pid}`), 0),
    attacker: seconds(`/proc/${attackerPid}`),
    all: secondsOfAll(),
    'honest people': process.cpuUsage().user / 1e6 + process.cpuUsage().system / 1e6,
  });
  const delayOfService = async () => {
    const text = await (await fetch(metricsUrl)).text();
    return (
      Number(/^\S*nodejs_eventloop_lag_max_seconds(?:\{[^}]*\})? (\S+)$/m.exec(text)?.[1] ?? NaN) * 1_000
    );
  };
  return async () => {
    const began = process.platform === 'linux' ? read() : undefined;
    ownDelay.reset();
    // Each reading resets the maximum delay.
    await delayOfService();
    return async () => {
      const own = Math.round(ownDelay.max / 1e6);
      const service = Math.round(await delayOfService());
      if (!began) return { delays: { service, own } };
      const ended = read();
      const spent = (name) => Math.round(((ended[name] - began[name]) * 1e5) / (ended.at - began.at));
      const named = ['service', 'database', 'attacker', 'honest people'];
      return {
        delays: { service, own },
        percent: {
          'service: its thread': spent('service: its thread'),
          'service: other threads': spent('service') - spent('service: its thread'),
          database: spent('database'),
          attacker: spent('attacker'),
          'honest people': spent('honest people'),
          'everything else': spent('all') - named.reduce((sum, name) => sum + spent(name), 0),
        },
      };
    };
  };
}
