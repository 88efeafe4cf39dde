// Walls and phones that receive live messages. Many run in one process, so each is as light as possible: a
// WebSocket with minimal Engine.IO that follows the rules of docs/live.md. `fork` starts this program; it
// accepts messages of the kinds `join`, `check` and `leave`.
import { WebSocket } from 'ws';
import { now } from './figures.mjs';

const AT_ONCE = 50;
const CONNECT_MS = 8_000;
const between = (least, most) => least + Math.random() * (most - least);

/** sequence → time of arrival at the last of these sockets, and number of sockets that received the message */
const arrivals = new Map();
/** [kind, start, end] and [kind, error, time], for `Figures`. */
const joins = [];
const errors = [];
const walls = [];

class Wall {
  /** Sequence of the last message that the wall shows. */
  last = null;
  /** Sum of the donations that the wall shows, in minor units. */
  raised = 0;
  isResynced = false;
  repeated = 0;
  totals = { sequence: -1, totalRaised: 0 };
  #tries = 0;
  #joining = false;
  #asked = 0;

  constructor(index, { urls, eventId }) {
    Object.assign(this, { index, urls, eventId });
  }

  connect() {
    const began = now();
    const url = this.urls[(this.index + this.#tries) % this.urls.length];
    const headers = { 'x-forwarded-for': `10.1.${this.index >> 5}.${1 + (this.index & 31)}` };
    const socket = new WebSocket(`${url.replace('http', 'ws')}/socket.io/?EIO=4&transport=websocket`, {
      headers,
      perMessageDeflate: false,
      handshakeTimeout: CONNECT_MS,
    });
    this.socket = socket;
    this.#joining = true;
    return new Promise((joined) => {
      this.joined = () => {
        joins.push(['wall: join', began, now()]);
        this.#tries = 0;
        joined();
      };
      socket.on('error', ({ code, message }) => errors.push(['wall: join', code ?? message, now()]));
      socket.on('message', (raw) => this.#take(raw.toString()));
      socket.on('close', () => {
        if (this.left) return;
        // The first retry uses the same process. The next retry uses the other process.
        this.#tries++;
        setTimeout(() => void this.connect().then(joined), between(300, 1_000) * Math.min(this.#tries, 4));
      });
    });
  }

  #request() {
    return { eventId: this.eventId, ...(this.last === null ? { snapshot: true } : { since: this.last }) };
  }

  #join = () => {
    if (this.#joining || this.socket.readyState !== WebSocket.OPEN) return;
    this.#joining = true;
    this.socket.send(`42${this.#asked++}${JSON.stringify(['joinEvent', this.#request()])}`);
  };

  #behind() {
    this.timer ??= setTimeout(
      () => {
        this.timer = undefined;
        this.#join();
      },
      between(300, 1_000),
    );
  }

  #take(text) {
    if (text.startsWith('42["donation.created",')) this.#show(text, numberAfter(text, '"amount":'));
    else if (text.startsWith('42["pledge.round",') || text.startsWith('42["donation.')) this.#show(text, 0);
    else if (text.startsWith('42["event.totals",')) this.#total(JSON.parse(text.slice(2))[1]);
    else if (text.startsWith('42["join.answer",')) this.#answered(JSON.parse(text.slice(2))[1]);
    else if (text.startsWith('43')) this.#answered(JSON.parse(text.slice(text.indexOf('[')))[0]);
    else if (text.startsWith('0')) this.socket.send(`40${JSON.stringify({ joinEvent: this.#request() })}`);
    else if (text === '2') this.socket.send('3');
  }

  /**
   * Shows a message of the feed. It searches the text for field names, because no text of a donation in this bench contains
   * one.
   */
  #show(text, amount) {
    const sequence = numberAfter(text, '"sequence":');
    if (this.last === null) return;
    if (sequence <= this.last) {
      this.repeated++;
      return;
    }
    if (sequence > this.last + 1) {
      this.#behind();
      return;
    }
    this.last = sequence;
    this.raised += amount;
    const seen = arrivals.get(sequence);
    if (seen) {
      seen[0] = now();
      seen[1]++;
    } else arrivals.set(sequence, [now(), 1]);
  }

  #total(totals) {
    if (totals.sequence >= this.totals.sequence) this.totals = totals;
    if (this.last !== null && totals.sequence > this.last) this.#behind();
  }

  #answered(answer) {
    this.#joining = false;
    if (answer.error) {
      errors.push(['wall: join', String(answer.error.statusCode), now()]);
      setTimeout(this.#join, between(1_000, 3_000));
      return;
    }
    if (answer.snapshot) {
      this.isResynced = this.last !== null;
      this.raised = answer.snapshot.totalRaised;
      this.#total(answer.snapshot);
      this.last = answer.sequence;
    } else this.last = Math.max(this.last, answer.sequence);
    this.joined();
    this.joined = () => undefined;
  }
}

function numberAfter(text, name) {
  return Number.parseInt(text.slice(text.lastIndexOf(name) + name.length), 10);
}

/** Returns the problem of a wall that should show the whole feed; undefined if there is none. */
function faultOf(wall, { sequence, raised }) {
  if (wall.last !== sequence) return `is at ${wall.last} of ${sequence}`;
  if (wall.totals.totalRaised !== raised) return `shows a total of ${wall.totals.totalRaised}, not ${raised}`;
  // After a snapshot, only the total is compared. A snapshot may contain donations after its position in the feed.
  if (!wall.isResynced && wall.raised !== raised)
    return `shows donations of ${wall.raised} together, not ${raised}`;
  return undefined;
}

process.on('message', async (order) => {
  if (order.kind === 'join') {
    for (const index of order.indexes) walls.push(new Wall(index, order));
    for (let from = 0; from < walls.length; from += AT_ONCE)
      await Promise.all(walls.slice(from, from + AT_ONCE).map((wall) => wall.connect()));
    process.send({ kind: 'joined' });
  } else if (order.kind === 'check') {
    const faults = walls.map((wall) => faultOf(wall, order)).filter(Boolean);
    process.send({ kind: 'checked', walls: walls.length, faults });
  } else {
    for (const wall of walls) {
      wall.left = true;
      wall.socket.terminate();
    }
    process.send({
      kind: 'left',
      joins,
      errors,
      arrivals: [...arrivals],
      resynced: walls.filter(({ isResynced }) => isResynced).length,
      repeated: walls.reduce((sum, { repeated }) => sum + repeated, 0),
    });
  }
});
process.once('disconnect', () => process.exit());
process.send({ kind: 'started' });
