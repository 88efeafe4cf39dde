import { useEffect, useState } from 'preact/hooks';
import type { RoundMessage } from '../../src/gateway/live-messages.js';
import type { PledgeRoundDto, PledgeRoundList } from '../../src/pledges/dto/pledge.dto.js';
import { ApiError, ask } from './api.js';
import type { Session } from './sessions.js';
import { t } from './texts.js';
import { till } from './till.js';
import { refusalText } from './undo.js';

/** A level of a paddle raise, shared by all terminals of the event. */
export type Round = Pick<PledgeRoundDto, 'id' | 'amount' | 'status' | 'count' | 'sum'>;

/** Time between two requests while there is no live channel. The counts of other terminals are at most this old. */
const LOOK_EVERY_MS = 10_000;

/** Follows the open levels of the event while the screen is open. Empty until the server answers. */
export function useRounds({ token, event, ended: isSignedOut }: Session): readonly Round[] {
  const [rounds, setRounds] = useState<readonly Round[]>([]);
  useEffect(() => {
    let ended = false;
    let timer: ReturnType<typeof setTimeout>;
    let stop = (): void => undefined;
    let news = 0;
    const look = async (): Promise<void> => {
      const before = news;
      const found = await ask<PledgeRoundList>(`/pledge-rounds?eventId=${event.id}`, { token }).catch(
        () => undefined,
      );
      if (!found || ended) return;
      // If a message arrived meanwhile, the list may be older than the message, so ask again.
      if (news === before) setRounds(found.data);
      else await look();
    };
    const lookOften = () => {
      clearTimeout(timer);
      timer = setTimeout(() => void look().then(lookOften), LOOK_EVERY_MS);
    };
    void look();
    lookOften();
    void followRounds(event.id, isSignedOut ? {} : { token }, {
      told: (message) => {
        news += 1;
        setRounds((before) => withNews(before, message));
      },
      // The terminal may have missed messages about several levels, so load all levels again.
      begun: () => void look(),
      live: (isLive) => {
        clearTimeout(timer);
        if (!isLive && !ended) lookOften();
      },
    }).then(
      (leave) => {
        stop = leave;
        if (ended) leave();
      },
      // If the script of the live channel does not load, `lookOften` continues to request the levels.
      () => undefined,
    );
    return () => {
      ended = true;
      clearTimeout(timer);
      stop();
    };
  }, [token, event.id, isSignedOut]);
  return rounds;
}

interface Listener {
  readonly told: (message: RoundMessage) => void;
  readonly begun: () => void;
  readonly live: (isLive: boolean) => void;
}

/**
 * Follows the rounds of an event with the messages of its wall. With a token, it also announces messages of the dashboard.
 * @returns a function that ends the connection
 */
async function followRounds(
  eventId: string,
  signedIn: { readonly token?: string },
  { told, begun, live }: Listener,
): Promise<() => void> {
  const [{ io }, { LiveFeed }] = await Promise.all([
    import('socket.io-client'),
    import('../wall/live-feed.js'),
  ]);
  const socket = io(location.origin, {
    path: '/socket.io',
    transports: ['websocket', 'polling'],
    tryAllTransports: true,
    reconnectionDelay: 500,
    reconnectionDelayMax: 5_000,
    timeout: 8_000,
  });
  const feed = new LiveFeed(socket, eventId, {
    snapshot: begun,
    apply: ({ topic, body }) => {
      if (topic === 'pledge.round') told(body);
    },
    round: () => undefined,
    match: () => undefined,
    totals: () => undefined,
    control: () => undefined,
    connection: (state) => live(state === 'live'),
  });
  const { auth } = socket;
  if (typeof auth === 'function')
    socket.auth = (give: (join: object) => void) => {
      auth((join: object) => {
        give({ ...join, ...signedIn });
      });
    };
  socket.on('floor.changed', () => till.readInbox?.());
  const online = () => feed.join();
  addEventListener('online', online);
  return () => {
    removeEventListener('online', online);
    socket.disconnect();
  };
}

/** Adds a live message to the levels: the newest level is first, as on the server. */
function withNews(rounds: readonly Round[], message: RoundMessage): readonly Round[] {
  const { roundId: id, amount, status, count, sum } = message;
  const news: Round = { id, amount, status, count, sum };
  return rounds.some((round) => round.id === id)
    ? rounds.map((round) => (round.id === id ? news : round))
    : [news, ...rounds];
}

/** Creates a level. If the server does not answer, returns an empty object, and only this terminal counts the pledges. */
export async function addRound(
  { token, event }: Session,
  amount: number,
): Promise<{ round?: Round; problem?: string }> {
  try {
    return {
      round: await ask<Round>('/pledge-rounds', {
        method: 'POST',
        token,
        body: { eventId: event.id, amount },
      }),
    };
  } catch (error) {
    // An older server does not have this route.
    if (!(error instanceof ApiError) || error.status === 404) return {};
    return { problem: error.status === 403 ? t('paddles.closed') : refusalText(error, token) };
  }
}

/** Closes a level. Returns true if the server has closed it. */
export async function closeRound({ token }: Session, id: string): Promise<boolean> {
  return await ask(`/pledge-rounds/${id}/close`, { method: 'POST', token }).then(
    () => true,
    () => false,
  );
}
