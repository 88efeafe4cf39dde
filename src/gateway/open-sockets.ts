import type { IncomingMessage } from 'node:http';
import { clientAddress } from '../common/http/client-address.js';
import { addressOf } from './address-budgets.js';

interface EngineConnection {
  readonly request: IncomingMessage;
  once(event: 'close', listener: () => void): void;
}

/**
 * How many sockets each client holds, also behind a proxy that is trusted and whose own connections are not bounded. Counts
 * long polling, which has no connection of its own, too.
 */
export class OpenSockets {
  private readonly perAddress = new Map<string, number>();

  constructor(private readonly mostOf: (ip: string | undefined) => number) {}

  hasRoom(request: IncomingMessage): boolean {
    const ip = addressOf(request);
    return (this.perAddress.get(clientAddress(ip)) ?? 0) < this.mostOf(ip);
  }

  readonly count = (connection: EngineConnection): void => {
    const address = clientAddress(addressOf(connection.request));
    this.perAddress.set(address, (this.perAddress.get(address) ?? 0) + 1);
    connection.once('close', () => {
      const left = (this.perAddress.get(address) ?? 1) - 1;
      if (left > 0) this.perAddress.set(address, left);
      else this.perAddress.delete(address);
    });
  };
}
