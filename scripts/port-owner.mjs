// Finds the process that listens on a port (Linux only).
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

const LISTENING = '0A';

/**
 * @returns {{ pid: number, command: string } | undefined} undefined if no process listens or the process is hidden from this
 * user
 */
export function portOwner(port) {
  const inodes = new Set(['tcp', 'tcp6'].flatMap((table) => listeners(table, port)));
  if (inodes.size === 0) return undefined;
  for (const pid of numbers('/proc')) {
    const holds = numbers(`/proc/${pid}/fd`).some((fd) => inodes.has(linkOf(`/proc/${pid}/fd/${fd}`)));
    if (holds) return { pid: Number(pid), command: commandOf(pid) };
  }
  return undefined;
}

function listeners(table, port) {
  const hex = port.toString(16).toUpperCase().padStart(4, '0');
  return attempt(() => readFileSync(`/proc/net/${table}`, 'utf8'), '')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter((fields) => fields[1]?.endsWith(`:${hex}`) && fields[3] === LISTENING)
    .map((fields) => `socket:[${fields[9]}]`);
}

const numbers = (folder) => attempt(() => readdirSync(folder), []).filter((name) => /^\d+$/.test(name));
const linkOf = (path) => attempt(() => readlinkSync(path), '');
const commandOf = (pid) =>
  attempt(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8'), '')
    .split('\0')
    .join(' ')
    .trim();

/** A process may end while this program reads it, and processes of other users are not readable. */
function attempt(read, otherwise) {
  try {
    return read();
  } catch {
    return otherwise;
  }
}
