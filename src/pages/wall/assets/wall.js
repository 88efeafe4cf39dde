import { io } from '../../socket.io/socket.io.esm.min.js';
import { LiveFeed } from './live-feed.js';
import { WallPage } from './page.js';

const config = JSON.parse(document.body.dataset.wall);
const page = new WallPage(config);
page.status('reconnecting');

// The page may live under a path of a proxy: the channel is beside it.
const socket = io(location.origin, {
  path: new URL('../socket.io', location.href).pathname,
  // Websocket first: it needs no sticky balancer. Polling where a venue's network forbids it.
  transports: ['websocket', 'polling'],
  tryAllTransports: true,
  reconnectionDelay: 500,
  reconnectionDelayMax: 5_000,
  timeout: 8_000,
});
const feed = new LiveFeed(socket, config.event, page);

// A network that went away without a word leaves a connection that only seems to live.
addEventListener('offline', () => page.status('reconnecting'));
addEventListener('online', () => feed.join());
document.addEventListener('visibilitychange', () => {
  if (!document.hidden) feed.join();
});

const button = document.getElementById('fullscreen');
const toggleFullscreen = () => {
  const done = document.fullscreenElement
    ? document.exitFullscreen()
    : document.documentElement.requestFullscreen();
  done.catch(() => undefined);
};
button.hidden = !document.fullscreenEnabled;
button.addEventListener('click', toggleFullscreen);
addEventListener('keydown', (event) => {
  if (event.key === 'f' && !event.ctrlKey && !event.metaKey && !event.altKey) toggleFullscreen();
});

// Nobody touches a wall: the pointer and the button go away, and the screen stays on.
let idle = 0;
const onActivity = () => {
  document.body.classList.remove('is-idle');
  clearTimeout(idle);
  idle = setTimeout(() => document.body.classList.add('is-idle'), 4_000);
};
for (const type of ['pointermove', 'pointerdown', 'keydown']) addEventListener(type, onActivity);
onActivity();

async function stayAwake() {
  try {
    if (!document.hidden) await navigator.wakeLock?.request('screen');
  } catch {
    // Only offered over https, and not everywhere.
  }
}
document.addEventListener('visibilitychange', stayAwake);
stayAwake();
