import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { WallClient } from '../support/wall-client.js';
import { validator } from './described.js';
import { anything, oddText, type World } from './fuzz-requests.js';

const ASKED = ['joinEvent', 'leaveEvent'] as const;
const ANSWERS = { joinEvent: 'joinAnswer', leaveEvent: 'leaveAnswer' } as const;

const problemAt = validator(JSON.parse(readFileSync('asyncapi.json', 'utf8')) as object, 'asyncapi');

interface Packet {
  readonly name: string;
  readonly parts: readonly unknown[];
}

/** Generates packets of a socket: mostly known events, with valid or odd requests. */
export function packetsOf({ known }: World): fc.Arbitrary<Packet> {
  const place = fc.constantFrom(...known);
  const part = fc.oneof(
    place,
    fc.record(
      { eventId: place, snapshot: fc.boolean(), since: fc.nat({ max: 9 }) },
      { requiredKeys: ['eventId'] },
    ),
    fc.record(
      {
        eventId: fc.oneof(place, anything),
        snapshot: fc.oneof(fc.boolean(), anything),
        since: fc.oneof(fc.nat(), anything),
      },
      { requiredKeys: [] },
    ),
    anything,
  );
  return fc.record({
    name: fc.oneof(
      { weight: 8, arbitrary: fc.constantFrom(...ASKED) },
      { weight: 1, arbitrary: fc.oneof(oddText, fc.constantFrom('donation.created', 'event.totals')) },
    ),
    parts: fc.array(part, { maxLength: 2 }),
  });
}

/** Names that the client reserves and refuses to send. */
const RESERVED = new Set([
  'connect',
  'connect_error',
  'disconnect',
  'disconnecting',
  'newListener',
  'removeListener',
]);

/** Sends packets over one socket and returns the problems with their answers. */
export async function problemsOfPackets(
  url: string,
  address: string,
  packets: readonly Packet[],
): Promise<string[]> {
  const client = await WallClient.connect(url, { extraHeaders: { 'X-Forwarded-For': address } });
  const problems: string[] = [];
  try {
    await Promise.all(
      packets.map(async ({ name, parts }) => {
        if (RESERVED.has(name)) return;
        const asked = ASKED.find((one) => one === name);
        if (!asked) {
          client.socket.emit(name, ...parts);
          return;
        }
        // After bad packets the server may close the socket, which then gets no more answers. The next socket must be served.
        const answer = await client.ask(asked, ...parts).catch(() => undefined);
        if (answer === undefined && client.socket.connected)
          problems.push(`${name} ${JSON.stringify(parts)}: no answer`);
        const problem = answer && problemAt(`/components/messages/${ANSWERS[asked]}/payload`, answer);
        if (problem) problems.push(`${name} ${JSON.stringify(parts)}: ${problem}; ${JSON.stringify(answer)}`);
        if (answer?.error && answer.error.statusCode >= 500 && answer.error.statusCode !== 503)
          problems.push(`${name} ${JSON.stringify(parts)}: ${JSON.stringify(answer)}`);
      }),
    );
  } finally {
    client.close();
  }
  return problems;
}
