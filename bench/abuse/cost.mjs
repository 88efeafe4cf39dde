// Who used the machine in a stretch of time, from /proc (Linux; elsewhere nothing is told): the service's own thread
// and its threads for passwords and the like, the database, the attacker, and the honest people with their clock.
import { readdirSync, readFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';

const TICKS_PER_SECOND = 100;

/** Seconds that all cores together worked, for whomever. */
function secondsOfAll() {
  const [user, nice, system, , , irq, softirq] = readFileSync('/proc/stat', 'utf8')
    .split('\n', 1)[0]
    .split(/ +/)
    .slice(1)
    .map(Number);
  return (user + nice + system + irq + softirq) / TICKS_PER_SECOND;
}

/** Seconds of processor time that a process or thread used; 0 when it is gone. */
function seconds(path) {
  try {
    // The name, in brackets, may hold spaces.
    const [, rest] = /\) (.*)$/s.exec(readFileSync(`${path}/stat`, 'utf8'));
    const fields = rest.split(' ');
    return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
  } catch {
    return 0;
  }
}

/** Processes whose command line begins so; the database's are started by the server's own. */
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
    // Of databases that serve others meanwhile, too.
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
    // What it tells starts anew with each reading.
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
