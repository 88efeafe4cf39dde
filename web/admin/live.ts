import { useEffect, useState } from 'preact/hooks';
import type { RoundMessage, TotalsMessage, WallControl } from '../../src/gateway/live-messages.js';
import { type Donation, LiveFeed } from '../wall/live-feed.js';

export type Connection = 'connecting' | 'live' | 'lost' | 'refused';

export interface Live {
  readonly connection: Connection;
  /** Time at which the last message arrived. The server sends a message at least every ten seconds. */
  readonly heardAt: number | undefined;
  readonly totals: TotalsMessage | undefined;
  /** Number of messages about new, changed or removed donations so far. */
  readonly changes: number;
  /** Current content of the walls. */
  readonly control: WallControl | undefined;
  /** Latest donation that arrived while this page was open. */
  readonly arrived: Donation | undefined;
  /** Latest message of each paddle raise round, by the id of the round. */
  readonly rounds: ReadonlyMap<string, HeardRound>;
}

export interface HeardRound {
  readonly round: RoundMessage;
  readonly heardAt: number;
}

const NOTHING: Live = {
  connection: 'connecting',
  heardAt: undefined,
  totals: undefined,
  changes: 0,
  control: undefined,
  arrived: undefined,
  rounds: new Map(),
};

const withRound = (rounds: Live['rounds'], round: RoundMessage): Pick<Live, 'rounds'> => ({
  rounds: new Map(rounds).set(round.roundId, { round, heardAt: Date.now() }),
});

/** Follows an event with the same live messages as the event's wall. */
export function useLive(eventId: string | undefined): Live {
  const [live, setLive] = useState<Live>(NOTHING);
  useEffect(() => {
    setLive(NOTHING);
    if (eventId === undefined) return;
    let ended = false;
    let stop: (() => void) | undefined;
    void import('socket.io-client').then(({ io }) => {
      if (ended) return;
      const socket = io(location.origin, {
        path: '/socket.io',
        transports: ['websocket', 'polling'],
        tryAllTransports: true,
        reconnectionDelay: 500,
        reconnectionDelayMax: 5_000,
        timeout: 8_000,
      });
      const update = (change: Partial<Live> | ((before: Live) => Partial<Live>)) => {
        if (!ended)
          setLive((before) => ({ ...before, ...(typeof change === 'function' ? change(before) : change) }));
      };
      const feed = new LiveFeed(socket, eventId, {
        snapshot: () => update((before) => ({ changes: before.changes + 1, heardAt: Date.now() })),
        apply: (message, isNew) =>
          update((before) => ({
            changes: before.changes + 1,
            heardAt: Date.now(),
            ...(isNew && message.topic === 'donation.created' && { arrived: message.body }),
            ...(message.topic === 'pledge.round' && withRound(before.rounds, message.body)),
          })),
        control: (control) => update({ control, heardAt: Date.now() }),
        totals: (totals) => update({ totals, heardAt: Date.now() }),
        match: () => undefined,
        round: (round) =>
          update((before) => ({ heardAt: Date.now(), ...(round && withRound(before.rounds, round)) })),
        connection: (state) =>
          update({ connection: state === 'live' ? 'live' : state === 'refused' ? 'refused' : 'lost' }),
      });
      const offline = () => update({ connection: 'lost' });
      const online = () => feed.join();
      addEventListener('offline', offline);
      addEventListener('online', online);
      stop = () => {
        removeEventListener('offline', offline);
        removeEventListener('online', online);
        socket.disconnect();
      };
    });
    return () => {
      ended = true;
      stop?.();
    };
  }, [eventId]);
  return live;
}
