/** The service cannot listen where it is told to; the message is one line for the operator. */
export class AddressUnusableError extends Error {}

const MEANINGS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program listens there',
  EADDRNOTAVAIL: 'this machine has no such address',
  EACCES: 'this user may not; ports below 1024 are for administrators',
  ENOTFOUND: 'nobody knows this name',
};

/**
 * Says what it means that listening failed, for the server of the application and for that of its metrics.
 * @throws AddressUnusableError, or `error` itself where it is about something else
 */
export function explainAddress(error: unknown): never {
  const { syscall, code, address, hostname, port } = error as NodeJS.ErrnoException & {
    address?: string;
    hostname?: string;
    port?: number;
  };
  const meaning = MEANINGS[code ?? ''];
  const listening = syscall === 'listen' || syscall === 'getaddrinfo';
  if (!meaning || !listening) throw error;
  const where = [address ?? hostname, port].filter((part) => part !== undefined).join(' port ');
  throw new AddressUnusableError(
    `Cannot listen at ${where}: ${meaning}. PORT and HOST say where, METRICS_PORT and METRICS_HOST for metrics.`,
    { cause: error },
  );
}
