import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';

/** A Lua script that Redis runs whole, sent by its digest: one round trip. */
export class RedisScript {
  private readonly digest: string;

  constructor(private readonly text: string) {
    this.digest = createHash('sha1').update(text).digest('hex');
  }

  async run(client: Redis, keys: readonly string[], values: readonly (string | number)[]): Promise<unknown> {
    try {
      return await client.evalsha(this.digest, keys.length, ...keys, ...values);
    } catch (error) {
      // A Redis that was restarted has to be told the text again.
      if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error;
      return await client.eval(this.text, keys.length, ...keys, ...values);
    }
  }
}
