import '../kit/older-browsers.js';
import { io } from 'socket.io-client';
import { Chime } from './chime.js';
import { addControls } from './controls.js';
import { followState } from './event-state.js';
import { LiveFeed } from './live-feed.js';
import type { WallModel } from './model.js';
import { Scene } from './scene.js';
import { Wall } from './wall.js';

// Without a model, the page only shows that there is no wall.
if (document.body.dataset.model) start(JSON.parse(document.body.dataset.model) as WallModel);

function start(model: WallModel): void {
  document.documentElement.style.setProperty('--scale', String(model.scale));
  const scene = new Scene(model.status);
  const chime = new Chime();
  const wall = new Wall(model, scene, chime);
  wall.connection('reconnecting');
  const socket = io(location.origin, {
    path: new URL('../socket.io', location.href).pathname,
    // First tries WebSocket, which needs no sticky load balancer. Uses polling if a venue's network blocks WebSocket.
    transports: ['websocket', 'polling'],
    tryAllTransports: true,
    reconnectionDelay: 500,
    reconnectionDelayMax: 5_000,
    timeout: 8_000,
  });
  const feed = new LiveFeed(socket, model.event, wall);
  // If the network disappears, the socket may still seem open for some time. So show the state immediately.
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
  // With the empty signs at hand, no name waits for them when the first emoji arrives. The load event comes after the styles.
  addEventListener('load', () => void document.fonts.load("1em 'Emoji Space'", '❤'));
  addControls(scene, chime);
}
