import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { compileFunction } from 'node:vm';
import { describe, expect, it } from '@jest/globals';
import { newSecret, signedHeaders } from '../../src/webhooks/sending/signature.js';
import { CHOSEN_TOPICS } from '../../src/webhooks/webhook-topics.js';
import { readDescription } from '../contract/described.js';

interface WorkflowNode {
  readonly name: string;
  readonly type: string;
  readonly typeVersion: number;
  readonly position: readonly [number, number];
  readonly parameters: {
    readonly jsCode?: string;
    readonly url?: string;
    readonly rules?: { readonly values: readonly { readonly outputKey: string }[] };
  };
}
interface Workflow {
  readonly nodes: readonly WorkflowNode[];
  readonly connections: Readonly<
    Record<string, { readonly main: readonly (readonly { readonly node: string }[])[] }>
  >;
}

const { nodes, connections } = JSON.parse(readFileSync('docs/n8n-workflow.json', 'utf8')) as Workflow;

/** Runs the code of the node "Verify signature" as n8n does. */
function verify(headers: object, body: string, secret: string): object {
  const code = nodes.find(({ parameters }) => parameters.jsCode)?.parameters.jsCode ?? '';
  const run = compileFunction(code, ['$input', '$env', 'require']) as (...given: unknown[]) => {
    json: object;
  }[];
  const item = { json: { headers }, binary: { data: { data: Buffer.from(body).toString('base64') } } };
  const [made] = run(
    { first: () => item },
    { DONATIONS_WEBHOOK_SECRET: secret },
    createRequire(import.meta.url),
  );
  return made?.json ?? {};
}

describe('the n8n workflow in the documentation', () => {
  it('connects only nodes that exist', () => {
    const names = new Set(nodes.map(({ name }) => name));
    expect(names.size).toBe(nodes.length);
    const ends = Object.entries(connections).flatMap(([from, { main }]) => [
      from,
      ...main.flat().map(({ node }) => node),
    ]);
    expect(ends.filter((name) => !names.has(name))).toEqual([]);
    expect(nodes.filter(({ type }) => !type.startsWith('n8n-nodes-base.'))).toEqual([]);
  });

  it('names topics and routes that exist', () => {
    const topics = nodes.flatMap(({ parameters }) => parameters.rules?.values ?? []);
    expect(topics.length).toBeGreaterThan(0);
    for (const { outputKey } of topics) expect(CHOSEN_TOPICS).toContain(outputKey);
    const urls = nodes.flatMap(({ parameters }) => parameters.url ?? []);
    expect(urls).toHaveLength(1);
    const [, path = '', query = ''] =
      /^=\{\{ \$env\.DONATIONS_URL \}\}(\/\w+)\?(\w+)=/.exec(urls[0] ?? '') ?? [];
    expect(readDescription().paths[path]?.get?.parameters?.map(({ name }) => name)).toContain(query);
  });

  it('accepts a signed message, and refuses another secret and an old time', () => {
    const [secret, body] = [newSecret(), '{"type":"donation.completed","data":{}}'];
    const headers = (at = new Date()) => signedHeaders([newSecret(), secret], { id: 'msg_1', body, at });
    expect(verify(headers(), body, secret)).toEqual({
      isGenuine: true,
      id: 'msg_1',
      type: 'donation.completed',
      data: {},
    });
    const refused = { isGenuine: false, id: 'msg_1' };
    expect(verify(headers(), body, newSecret())).toEqual(refused);
    expect(verify(headers(), `${body} `, secret)).toEqual(refused);
    expect(verify(headers(new Date(Date.now() - 600_000)), body, secret)).toEqual(refused);
  });
});
