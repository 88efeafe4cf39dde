import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import ts from 'typescript';
import { withEvent } from '../support/setup.js';
import { WallClient } from '../support/wall-client.js';
import { type SchemaObject, validator } from './described.js';

const document = JSON.parse(readFileSync('asyncapi.json', 'utf8')) as {
  components: {
    schemas: Record<string, SchemaObject>;
    messages: Record<string, { name: string; payload: object }>;
  };
};
const problemAt = validator(document, 'asyncapi');
const payloadOf = (name: string): string => {
  const found = Object.entries(document.components.messages).find(([, message]) => message.name === name);
  if (!found) throw new Error(`${name} is not described`);
  return `/components/messages/${found[0]}/payload`;
};

/** Reads the interfaces of a file with the compiler. Returns each field with true if it is optional. */
function fieldsOf(file: string): (name: string) => Record<string, boolean> {
  const program = ts.createProgram([file], {
    target: ts.ScriptTarget.ES2023,
    strict: true,
    skipLibCheck: true,
    module: ts.ModuleKind.NodeNext,
  });
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(file);
  return (name) => {
    const declared = source?.statements.find(
      (one) => ts.isInterfaceDeclaration(one) && one.name.text === name,
    );
    if (!declared) throw new Error(`${file} has no interface ${name}`);
    return Object.fromEntries(
      checker
        .getTypeAtLocation(declared)
        .getProperties()
        .map((property) => [property.name, (property.flags & ts.SymbolFlags.Optional) !== 0]),
    );
  };
}

describe('asyncapi.json and the types', () => {
  const fields = fieldsOf('src/gateway/live-messages.ts');

  it.each([
    'DonationMessage',
    'RetractedMessage',
    'RoundMessage',
    'ShownMilestone',
    'MilestoneMessage',
    'MilestonesMessage',
    'MomentMessage',
    'FloorChangedMessage',
    'BoardTeam',
    'BoardMessage',
    'WallControl',
    'WallControlMessage',
    'CurrencyTotalMessage',
    'TotalsMessage',
    'Snapshot',
    'JoinAck',
    'LeaveAck',
    'ErrorAck',
  ])('asyncapi.json describes %s like its type', (name) => {
    const schema = document.components.schemas[name];
    const described = Object.keys(schema?.properties ?? {}).map(
      (field) => [field, !schema?.required?.includes(field)] as const,
    );
    expect(Object.fromEntries(described)).toEqual(fields(name));
  });

  it('asyncapi.json describes every message of the typed map, and no other', () => {
    const described = Object.values(document.components.messages)
      .map(({ name }) => name)
      .filter((name) => !name.startsWith('webhook.'));
    const answers = described.filter((name) => name.endsWith('Answer'));
    expect(described.filter((name) => !answers.includes(name)).sort()).toEqual(
      [...Object.keys(fields('ServerToClient')), ...Object.keys(fields('ClientToServer'))].sort(),
    );
  });
});

describe('socket messages and asyncapi.json', () => {
  const { app, admin, event } = withEvent();

  it('every message and acknowledgement fits asyncapi.json', async () => {
    const wall = await WallClient.connect(app.url);
    try {
      const problems: (string | undefined)[] = [];
      const check = (name: string, value: unknown) => problems.push(problemAt(payloadOf(name), value));
      check('joinAnswer', await wall.join({ eventId: event.slug, snapshot: true }));
      check('joinAnswer', await wall.join('nobody-has-this'));
      check('joinAnswer', await wall.join({ eventId: 5 }));
      const { body } = await admin
        .post('/donations', {
          eventId: event.id,
          amount: 500,
          type: 'cash',
          message: 'Hello',
          donorName: 'Ada',
        })
        .expect(201);
      const { id } = body as { id: string };
      await wall.until(({ created }) => created.length === 1, 'the donation', 30_000);
      await admin.patch(`/donations/${id}`, { donorName: 'Grace' }).expect(200);
      const received = () => new Set(wall.received.map(({ topic }) => topic));
      // The test waits before it cancels. If both changes came at once, the relay would announce only the removal.
      await wall.until(() => received().has('donation.updated'), 'the correction', 30_000);
      await admin.post(`/donations/${id}/cancel`, { shouldRefund: false }).expect(200);
      await admin
        .patch(`/events/${event.slug}/settings`, {
          live: { wall: { paused: true, nextGoal: 9_000_000, sound: true } },
        })
        .expect(200);
      await wall.until(() => received().size === 5, 'one message of each kind', 30_000);
      for (const { topic, body: message } of wall.received) check(topic, message);
      check('joinAnswer', await wall.join({ eventId: event.id, snapshot: true }));
      check('leaveAnswer', await wall.ask('leaveEvent', event.id));
      check('leaveAnswer', await wall.ask('leaveEvent', 'nobody-has-this'));
      expect([...received()].sort()).toEqual([
        'donation.created',
        'donation.retracted',
        'donation.updated',
        'event.totals',
        'wall.control',
      ]);
      expect(problems.filter(Boolean)).toEqual([]);
    } finally {
      wall.close();
    }
  });

  it('a message with an extra field does not fit asyncapi.json', () => {
    const [example] = (document.components.schemas.DonationMessage as { examples: object[] }).examples;
    expect(problemAt(payloadOf('donation.created'), example)).toBeUndefined();
    expect(problemAt(payloadOf('donation.created'), { ...example, donorEmail: 'ada@example.org' })).toMatch(
      /additional/,
    );
  });
});
