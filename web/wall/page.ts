import { io } from 'socket.io-client';
import { addControls } from './controls.js';
import { LiveFeed } from './live-feed.js';
import type { WallModel } from './model.js';
import { Scene } from './scene.js';
import { Wall } from './wall.js';

// Without it the page says that there is no wall.
if (document.body.dataset.model) start(JSON.parse(document.body.dataset.model) as WallModel);

function start(model: WallModel): void {
  const scene = new Scene(model.status);
  const wall = new Wall(model, scene);
  wall.connection('reconnecting');
  const socket = io(location.origin, {
    path: new URL('../socket.io', location.href).pathname,
    // Websocket first: it needs no sticky balancer. Polling where a venue's network forbids it.
    transports: ['websocket', 'polling'],
    tryAllTransports: true,
    reconnectionDelay: 500,
    reconnectionDelayMax: 5_000,
    timeout: 8_000,
  });
  const feed = new LiveFeed(socket, model.event, wall);
  // A network that went away without a word leaves a connection that only seems to live.
  addEventListener('offline', () => {
    wall.connection('reconnecting');
  });
  addEventListener('online', () => {
    feed.join();
  });
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden) feed.join();
  });
  followState(model.event, wall);
  addControls(scene);
}

const EVERY_MS = 10_000;

/** Follows the state of the event: opened, paused, closed, or no longer public. */
export function followState(event: string, wall: Wall): void {
  const ask = async () => {
    if (document.hidden) return;
    try {
      const answer = await fetch(`/events/${encodeURIComponent(event)}`);
      if (answer.ok) wall.status(((await answer.json()) as { status: string }).status);
      else if (answer.status === 404) wall.end();
    } catch {
      // The channel says when the network is away.
    }
  };
  setInterval(() => void ask(), EVERY_MS);
  document.addEventListener('visibilitychange', () => void ask());
}
