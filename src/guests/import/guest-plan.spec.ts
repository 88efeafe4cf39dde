import { describe, expect, it } from '@jest/globals';
import { guessColumns } from './guest-columns.js';
import { type Decision, GuestPlan, type KnownGuest, RowKeys } from './guest-plan.js';
import { readGuest } from './guest-row.js';

type Cells = Parameters<typeof readGuest>[0];

const keyed = (rows: readonly Cells[]) => {
  const keys = new RowKeys();
  return rows.map((cells, index) => keys.of(index + 2, readGuest(cells)));
};

function planned(rows: readonly Cells[], known: readonly KnownGuest[] = []): Decision[] {
  return new GuestPlan(known).decide(keyed(rows));
}

const outcomes = (decisions: readonly Decision[]) => decisions.map(({ outcome }) => outcome);
const problemsOf = (decision: Decision | undefined) =>
  decision?.outcome === 'wrong' ? decision.problems.map(({ field, rule }) => [field, rule]) : [];

/** The guests that an import of the rows leaves at the event. */
function imported(rows: readonly Cells[]): KnownGuest[] {
  return planned(rows).flatMap((decision, index) => {
    if (decision.outcome !== 'created') return [];
    const { id, key, values, paddle } = decision;
    const empty = { name: '', email: null, phone: null, table: null, seat: null, party: null, note: null };
    return [
      {
        ...empty,
        isVip: false,
        needsHelp: false,
        ...values,
        id,
        importKey: key,
        paddle: rows[index]?.paddle ?? null,
        sharesPaddleWith:
          paddle !== undefined && 'sharesPaddleWith' in paddle ? paddle.sharesPaddleWith : null,
      },
    ];
  });
}

const ADA = { name: 'Ada Lovelace', email: 'ada@example.org', table: '1' };

describe('a row of a guest list', () => {
  it('creates a guest in the first import, and finds this guest in later imports', () => {
    const rows = [ADA, { name: 'Bob', table: '2' }];
    expect(outcomes(planned(rows))).toEqual(['created', 'created']);
    expect(outcomes(planned(rows, imported(rows)))).toEqual(['same', 'same']);
  });

  it('creates a guest of its own even if another row is equal', () => {
    const rows = [ADA, ADA];
    expect(outcomes(planned(rows))).toEqual(['created', 'created']);
    expect(outcomes(planned(rows, imported(rows)))).toEqual(['same', 'same']);
    expect(outcomes(planned([ADA, ADA, ADA], imported(rows)))).toEqual(['same', 'same', 'created']);
  });

  it('changes the guest if another field differs; an empty cell changes nothing', () => {
    const known = imported([{ ...ADA, seat: '4', note: 'Vegetarian' }]);
    const [decision] = planned([{ ...ADA, seat: '5', note: '' }], known);
    expect(decision).toMatchObject({ outcome: 'changed', values: { seat: '5' }, before: { seat: '4' } });
  });

  it('with an own id is the same guest also with another name, e-mail address and table', () => {
    const known = imported([{ ...ADA, id: 'A-17' }]);
    const [decision] = planned([{ name: 'Ada King', id: 'A-17', table: '3' }], known);
    expect(decision).toMatchObject({ outcome: 'changed', values: { name: 'Ada King', table: '3' } });
    const twice = planned([
      { ...ADA, id: 'A-17' },
      { name: 'Bob', id: 'A-17' },
    ]);
    expect(problemsOf(twice[1])).toEqual([['id', 'duplicate']]);
  });

  it('finds the guest that the team added by hand with the same name, e-mail address and table', () => {
    const byHand = imported([ADA]).map((guest) => ({ ...guest, importKey: null }));
    expect(outcomes(planned([ADA], byHand))).toEqual(['same']);
    const id = byHand[0]?.id ?? '';
    expect(outcomes(planned([{ id, name: 'Ada King' }], byHand))).toEqual(['changed']);
  });

  it('shares the paddle of a guest only within one party or one table', () => {
    const decisions = planned([
      { name: 'Mary', table: '1', party: 'Jones', paddle: '7' },
      { name: 'Bob', table: '2', party: 'Jones', paddle: '7' },
      { name: 'Eve', table: '1', paddle: '7' },
      { name: 'Max', table: '3', paddle: '7' },
    ]);
    const mary = decisions[0]?.outcome === 'created' ? decisions[0].id : '';
    expect(decisions.slice(0, 3)).toMatchObject([
      { paddle: { paddle: '7' } },
      { paddle: { sharesPaddleWith: mary } },
      { paddle: { sharesPaddleWith: mary } },
    ]);
    expect(problemsOf(decisions[3])).toEqual([['paddle', 'duplicate']]);
  });

  it('can exchange paddles with another row, also at one table', () => {
    const known = imported([
      { name: 'Mary', table: '1', paddle: '7' },
      { name: 'Bob', table: '1', paddle: '8' },
    ]);
    const decisions = planned(
      [
        { name: 'Mary', table: '1', paddle: '8' },
        { name: 'Bob', table: '1', paddle: '7' },
      ],
      known,
    );
    expect(decisions).toMatchObject([{ paddle: { paddle: '8' } }, { paddle: { paddle: '7' } }]);
  });

  it('keeps the number of a guest who shared it with a guest that gets another paddle', () => {
    const rows = [
      { name: 'Mary', table: '1', paddle: '7' },
      { name: 'Bob', table: '1', paddle: '7' },
    ];
    const decisions = planned([{ ...rows[0], paddle: '9' }, rows[1] ?? {}], imported(rows));
    expect(decisions).toMatchObject([{ paddle: { paddle: '9' } }, { paddle: { paddle: '7' } }]);
  });

  it('reports every cell that breaks a rule', () => {
    const wrong: [Cells, string[][]][] = [
      [{ email: 'ada@example.org' }, [['name', 'required']]],
      [{ name: 'x'.repeat(201) }, [['name', 'maxLength']]],
      [{ name: 'A\u0000da' }, [['name', 'characters']]],
      [{ ...ADA, email: 'none' }, [['email', 'email']]],
      [{ ...ADA, paddle: 'no 7' }, [['paddle', 'pattern']]],
      [{ ...ADA, isVip: 'perhaps' }, [['isVip', 'type']]],
      [{ ...ADA, note: 'x'.repeat(2_000) }, [['note', 'maxLength']]],
    ];
    for (const [cells, problems] of wrong) expect(problemsOf(planned([cells])[0])).toEqual(problems);
  });

  it('has a name in one column or in two, and yes or no in six languages', () => {
    const [decision] = planned([{ firstName: 'Ada', lastName: 'Lovelace', isVip: 'ja', needsHelp: 'non' }]);
    expect(decision).toMatchObject({
      values: { name: 'Ada Lovelace', isVip: true, needsHelp: false },
      lastName: 'Lovelace',
    });
  });
});

describe('the columns of a guest list', () => {
  it.each([
    [
      ['Name', 'E-Mail', 'Table', 'Paddle'],
      ['name', 'email', 'table', 'paddle'],
    ],
    [
      ['Vorname', 'Nachname', 'E-Mail-Adresse', 'Tischnummer'],
      ['firstName', 'lastName', 'email', 'table'],
    ],
    [
      ['Prénom', 'Nom', 'Courriel', 'Remarques'],
      ['firstName', 'lastName', 'email', 'note'],
    ],
    [
      ['Nombre', 'Apellidos', 'Correo electrónico', 'Mesa'],
      ['firstName', 'lastName', 'email', 'table'],
    ],
    [
      ['Nome', 'Cognome', 'Tavolo', 'Posto'],
      ['firstName', 'lastName', 'table', 'seat'],
    ],
    [
      ['Nome', 'Tavolo'],
      ['name', 'table'],
    ],
    [
      ['Voornaam', 'Achternaam', 'Tafel', 'VIP'],
      ['firstName', 'lastName', 'table', 'isVip'],
    ],
    [
      ['Guest name', 'Colour', 'guest_name'],
      ['name', null, null],
    ],
  ])('are guessed by the headings %j', (headings, fields) => {
    expect(guessColumns(headings)).toEqual(fields);
  });
});
