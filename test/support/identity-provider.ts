import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';

export const CLIENT = { id: 'donations', secret: 'client-Jd83kfLs02mVnq7Xz5Tb' };

/** The person who signs in at the provider. Without `sub`, the person cancels the sign-in. */
export interface Account {
  readonly sub?: string;
  readonly email?: string;
  readonly email_verified?: boolean;
  /** Authentication methods that the person used, such as `['pwd', 'mfa']`. */
  readonly amr?: readonly string[];
}

export interface IdentityProvider {
  readonly issuer: string;
  /** Sets the person who signs in from now on. */
  become(account: Account): Promise<void>;
  /** Follows the redirects through the provider in a new session. Returns the last address. */
  visit(address: string): Promise<URL>;
  stop(): Promise<void>;
}

/** Starts a certified OpenID provider on this machine. */
export async function startIdentityProvider(callbackUrl: string): Promise<IdentityProvider> {
  const child = spawn(process.execPath, [resolve('test/support/openid-server.mjs')], {
    env: {
      PATH: process.env.PATH,
      CLIENT_ID: CLIENT.id,
      CLIENT_SECRET: CLIENT.secret,
      CALLBACK_URL: callbackUrl,
    },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [issuer] = (await once(createInterface(child.stdout), 'line')) as [string];
  return {
    issuer,
    become: async (account) => {
      await fetch(`${issuer}/whoami`, { method: 'POST', body: JSON.stringify(account) });
    },
    visit: (address) => follow(address, callbackUrl),
    stop: async () => {
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    },
  };
}

async function follow(address: string, callbackUrl: string): Promise<URL> {
  const jar = new Map<string, string>();
  let next = new URL(address);
  for (let hops = 0; hops < 10; hops++) {
    if (next.href.startsWith(callbackUrl)) return next;
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(next, { redirect: 'manual', headers: { cookie } });
    for (const set of response.headers.getSetCookie()) {
      const [name = '', value = ''] = (set.split(';', 1)[0] ?? '').split(/=(.*)/s);
      jar.set(name, value);
    }
    const location = response.headers.get('location');
    if (location === null) throw new Error(`${next.pathname}: ${response.status} ${await response.text()}`);
    next = new URL(location, next);
  }
  throw new Error('The provider sends the browser in circles');
}
