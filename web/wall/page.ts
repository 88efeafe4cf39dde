import '../kit/older-browsers.js';
import { io } from 'socket.io-client';
import { addControls } from './controls.js';
import { followState } from './event-state.js';
import { LiveFeed } from './live-feed.js';
import type { WallModel } from './model.js';
import { Scene } from './scene.js';
import { Wall } from './wall.js';

// Without it the page shows that there is no wall.
if (document.body.dataset.model) start(JSON.parse(document.body.dataset.model) as WallModel);

function start(model: WallModel): void {
  const scene = new Scene(model.status);
  const wall = new Wall(model, scene);
  wall.connection('reconnecting');
  const socket = io(location.origin, {
    path: new URL('../socket.io', location.href).pathname,
    // Websocket first: it needs no sticky load balancer. Polling if a venue's network blocks it.
    transports: ['websocket', 'polling'],
    tryAllTransports: true,
    reconnectionDelay: 500,
    reconnectionDelayMax: 5_000,
    timeout: 8_000,
  });
  const feed = new LiveFeed(socket, model.event, wall);
  // A network that disappears silently leaves a connection that only seems open.
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
